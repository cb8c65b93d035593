import { expect, test } from "vitest";
import { refuseBadHosts } from "./secret-hosts.ts";
import { UsageError } from "./usage-error.ts";

test.each(["localhost", "127.0.0.1", "*.com", "http://api.example.com", "api.example.com:70000", "nas:0", "ftp.example.com/a/*/b"])(
  "the host %s is refused and shown",
  (host) => {
    expect(() => refuseBadHosts(["api.example.com", host])).toThrow(UsageError);
    expect(() => refuseBadHosts([host])).toThrow(JSON.stringify(host));
  },
);

test.each([
  "sk_live_51HunterTwo",
  "glpat-hunter2hunter2",
  "hunter2 hunter2",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSM3",
  "user:hunter2@api.example.com",
  "https://hooks.example.com/T0000/hunter2hunter2hunter2hunter2hunter2?x",
])("a text that is no host is refused and not repeated: %s", (text) => {
  expect(() => refuseBadHosts([text])).toThrow(UsageError);
  expect(() => refuseBadHosts([text])).toThrow(/does not look like a host; it is not repeated here/);
});

test("hosts that fit pass", () => {
  expect(() => refuseBadHosts(["api.example.com", "*.example.com", "nas:8080", "https://api.example.com/v1"])).not.toThrow();
});

test.each(["169.254.169.254:80", "metadata.google.internal:80", "[fd00:ec2::254]:80", "https://metadata:443/latest", "0.0.0.0:80"])(
  "the host %s, to which no request may go, is refused and shown, but can be taken away from a secret",
  (host) => {
    expect(() => refuseBadHosts([host])).toThrow(/^No request may go to /);
    expect(() => refuseBadHosts([host], { isTakenAway: true })).not.toThrow();
  },
);

test("what is refused is said to stand where it was written", () => {
  expect(() => refuseBadHosts(["hunter2"], { where: "One of these" })).toThrow(/^One of these does not look like a host;/);
});
