import path from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { UsageError } from "./usage-error.ts";

test("without variables the home folder is the platform's config folder and nothing else is set", () => {
  const config = readConfig({ XDG_CONFIG_HOME: "/tmp/xdg" }, "linux");
  expect(config).toEqual({
    home: path.join("/tmp/xdg", "toolyard"),
    settingsFolder: "/tmp/xdg",
    workspace: undefined,
    key: { keychain: false, keychainEnvironment: {} },
    isConfirmed: false,
    logLevel: undefined,
    isColourWanted: true,
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test("a relative XDG_CONFIG_HOME is ignored, as its specification says", () => {
  expect(readConfig({ XDG_CONFIG_HOME: "config" }, "linux").home.endsWith(path.join(".config", "toolyard"))).toBe(true);
});

test("the passphrase is deleted from the environment and does not show when printed", () => {
  const env = { TOOLYARD_PASSPHRASE: "correct horse battery" };
  const config = readConfig(env, "linux");
  expect(env).toEqual({});
  expect(config.key.passphrase?.reveal()).toBe("correct horse battery");
  expect(JSON.stringify(config)).not.toContain("horse");
});

test("the keychain counts as configured on Linux only where a session bus is", () => {
  expect(readConfig({}, "linux").key.keychain).toBe(false);
  expect(readConfig({ DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus" }, "linux").key.keychain).toBe(true);
  expect(readConfig({}, "darwin").key.keychain).toBe(true);
});

test.each([
  ["TOOLYARD_HOME", "relative/folder"],
  ["TOOLYARD_MASTER_KEY_FILE", "key"],
  ["CREDENTIALS_DIRECTORY", "creds"],
  ["TOOLYARD_PASSPHRASE_FILE", "pass"],
  ["TOOLYARD_CONFIRM", "yes"],
  ["TOOLYARD_LOG", "verbose"],
])("a bad %s is refused with its name", (name, value) => {
  const error = catchError(() => readConfig({ [name]: value }, "linux"));
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain(name);
});

test("empty variables count as not set", () => {
  const empty = { TOOLYARD_HOME: "", TOOLYARD_LOG: "", TOOLYARD_CONFIRM: "", NO_COLOR: "", TOOLYARD_PASSPHRASE: "", XDG_CONFIG_HOME: "/x" };
  expect(readConfig(empty, "linux")).toEqual(readConfig({ XDG_CONFIG_HOME: "/x" }, "linux"));
});

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
