import { expect, test } from "vitest";
import { isUnclearPath } from "./url-path.ts";

const pathOf = (path: string): string => new URL(`https://api.example.com${path}`).pathname;

test.each([
  "/v1/%c0%ae%c0%ae/v2",
  "/v1/%25c0%25ae/v2",
  "/v1/..%00/v2",
  "/v1/..%2500/v2",
  "/v1/..%0d/v2",
  "/v1/..%7f/v2",
  "/v1/..%c2%85/v2",
  "/v1/..%20/v2",
  "/v1/%20../v2",
  "/v1/..%2520/v2",
  "/v1/..%c2%a0/v2",
  "/v1/..%3b/v2",
  "/v1/..%253bx/v2",
  "/v1/..;x/v2",
  "/v1/..%3f/v2",
  "/v1/%u002e%u002e/v2",
  "/v1/%25u002e/v2",
  "/v1/%ef%bc%8f../v2",
  "/v1/%ef%bc%8e%ef%bc%8e/v2",
  "/v1/.%ef%bc%8e/v2",
  "/v1/%e2%80%a5/v2",
  "/v1/x%ef%bc%8fv2",
  "/v1/x%ef%bc%bcv2",
  "/v1/x%e2%88%95v2",
  "/v1/x%2fv2",
  "/v1/x%252525252fv2",
  "/v1/...%20/v2",
  "/v1/.../v2",
  "/v1//v2",
  "/v1/x%zz",
  "/v1/x%",
  "/v1/caf%e9",
  "/v1/x%25252525252541",
])("%s is read in more than one way", (path) => {
  expect(isUnclearPath(pathOf(path))).toBe(true);
});

test.each([
  "/",
  "/v1",
  "/v1/",
  "/v1/items/a.b..c",
  "/v1/.well-known/x",
  "/v1/..hidden",
  "/v1/a%20b",
  "/v1/caf%C3%A9/%E6%9D%B1%E4%BA%AC",
  "/v1/café…",
  "/v1/100%25",
  "/v1/100%25%20sure",
  "/v1/50%25up",
  "/v1/a%2520b",
  "/v1/a;b=c/x@y:z,~$&'()*+!",
  "/v1/%F0%9F%98%80",
])("%s is read in one way", (path) => {
  expect(isUnclearPath(pathOf(path))).toBe(false);
});
