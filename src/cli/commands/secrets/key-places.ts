import type { KeyConfig } from "../../../secrets/key-source.ts";

/**
 * For who has just got a key file because nothing else was configured: where the key can be instead, with the one command
 * for each. A keychain is offered only where there is one.
 */
export function keyPlaceLines({ keychain }: Pick<KeyConfig, "keychain">): readonly string[] {
  const makeKey = "(umask 077; head -c 32 /dev/urandom | base64 > KEY)";
  const places: readonly (readonly [string, string])[] = [
    ["a passphrase", "toolyard secrets rekey --to passphrase"],
    ["a key file of your own", `${makeKey} && toolyard secrets rekey --to key-file --key-file KEY`],
    ["a systemd credential", `${makeKey} && toolyard secrets rekey --to credential --key-file KEY`],
    ...(keychain ? [["the system's keychain", "toolyard secrets rekey --to keychain"] as const] : []),
  ];
  const width = Math.max(...places.map(([place]) => place.length));
  return [
    "No other place for the key is configured here. It can stay where it is: only this user can read it. Or it moves to",
    ...places.map(([place, command]) => `  ${place.padEnd(width)}  ${command}`),
    "Each says what a server needs then. More: docs/vault.md.",
  ];
}
