/**
 * Settings from the environment, read once at start into a frozen value. No other file of the program reads the environment.
 */
import { homedir } from "node:os";
import path from "node:path";
import type { LogLevel } from "../core/log.ts";
import { Secret } from "../core/secret.ts";
import type { KeyConfig } from "../secrets/key-source.ts";
import { keychainEnvironment } from "../secrets/keychain.ts";
import { UsageError } from "./usage-error.ts";

/** An environment as Node gives it. */
export type Environment = Record<string, string | undefined>;

/** Settings in force for one run of the program. */
export interface Config {
  /** Folder of vault, agents and trust; absolute. TOOLYARD_HOME, default the platform's config folder. */
  readonly home: string;
  /** Where this platform keeps the settings of programs; absolute. */
  readonly settingsFolder: string;
  /** TOOLYARD_WORKSPACE: the workspace where `-w` is not given. */
  readonly workspace: string | undefined;
  /** Where the vault's master key may come from. */
  readonly key: KeyConfig;
  /** TOOLYARD_CONFIRM=1: `--yes` may stand for a person at a terminal. */
  readonly isConfirmed: boolean;
  /** TOOLYARD_LOG; each command has its own default. */
  readonly logLevel: LogLevel | undefined;
  /** False where NO_COLOR is set to anything but nothing (no-color.org). */
  readonly isColourWanted: boolean;
}

const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

/**
 * Reads the settings. TOOLYARD_PASSPHRASE is deleted from `env`, so that no child process inherits it.
 * Throws {@link UsageError} that names the variable with a bad value.
 */
export function readConfig(env: Environment, platform: NodeJS.Platform = process.platform): Config {
  const passphrase = env.TOOLYARD_PASSPHRASE;
  delete env.TOOLYARD_PASSPHRASE;
  return Object.freeze({
    home: absolutePath(env, "TOOLYARD_HOME") ?? path.join(settingsFolder(env, platform), "toolyard"),
    settingsFolder: settingsFolder(env, platform),
    workspace: filled(env.TOOLYARD_WORKSPACE),
    key: Object.freeze({
      ...optional("keyFile", absolutePath(env, "TOOLYARD_MASTER_KEY_FILE")),
      ...optional("credentialsDirectory", absolutePath(env, "CREDENTIALS_DIRECTORY")),
      ...optional("passphraseFile", absolutePath(env, "TOOLYARD_PASSPHRASE_FILE")),
      ...(filled(passphrase) === undefined ? {} : { passphrase: new Secret(passphrase ?? "") }),
      keychain: hasKeychain(env, platform),
      keychainEnvironment: keychainEnvironment(env),
    }),
    isConfirmed: flag(env, "TOOLYARD_CONFIRM"),
    logLevel: logLevel(env),
    isColourWanted: filled(env.NO_COLOR) === undefined,
  });
}

function settingsFolder(env: Environment, platform: NodeJS.Platform): string {
  if (platform === "win32") return filled(env.APPDATA) ?? path.join(homedir(), "AppData", "Roaming");
  if (platform === "darwin") return path.join(homedir(), "Library", "Application Support");
  const base = filled(env.XDG_CONFIG_HOME);
  // The XDG specification: a relative path there is invalid and to be ignored.
  return base !== undefined && path.isAbsolute(base) ? base : path.join(homedir(), ".config");
}

/** On Linux the keychain (Secret Service) is reached through the session bus; a server or container has none. */
function hasKeychain(env: Environment, platform: NodeJS.Platform): boolean {
  if (platform === "linux") return filled(env.DBUS_SESSION_BUS_ADDRESS) !== undefined;
  return platform === "darwin" || platform === "win32";
}

function absolutePath(env: Environment, name: string): string | undefined {
  const value = filled(env[name]);
  if (value === undefined) return undefined;
  if (!path.isAbsolute(value)) {
    throw new UsageError(`${name} must be an absolute path; found "${value}". Write the whole path, such as ${path.resolve("/", value)}.`);
  }
  return path.normalize(value);
}

function flag(env: Environment, name: string): boolean {
  const value = filled(env[name]);
  if (value === undefined || value === "0") return false;
  if (value === "1") return true;
  throw new UsageError(`${name} must be 1 or 0; found "${value}".`);
}

function logLevel(env: Environment): LogLevel | undefined {
  const value = filled(env.TOOLYARD_LOG);
  if (value === undefined) return undefined;
  const level = LOG_LEVELS.find((known) => known === value);
  if (level === undefined) throw new UsageError(`TOOLYARD_LOG must be one of ${LOG_LEVELS.join(", ")}; found "${value}".`);
  return level;
}

/** An empty variable counts as one that is not set, as shells and service managers write it. */
function filled(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function optional<Key extends string>(key: Key, value: string | undefined): { readonly [key in Key]?: string } {
  // A computed key widens to string; the object has exactly this one key or none.
  return (value === undefined ? {} : { [key]: value }) as { readonly [key in Key]?: string };
}
