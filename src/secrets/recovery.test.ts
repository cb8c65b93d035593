import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { Secret } from "../core/secret.ts";
import { createRecovery, openRecovery, parseRecovery, recoveryText } from "./recovery.ts";

const ID = "0123456789abcdefghijklmnop";
const INVALID = expect.objectContaining({ code: "INVALID_REQUEST" });

test("a key is written in 14 groups of 4 and read back, also in small letters, without dashes, and with letters that look like digits", () => {
  for (let round = 0; round < 50; round++) {
    const key = randomBytes(32);
    const text = recoveryText(key).reveal();
    expect(text).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){13}[0-9A-HJKMNP-TV-Z]{4}$/);
    for (const typed of [text, text.toLowerCase(), text.replaceAll("-", " "), `\n${text.replaceAll("-", "")}\n`]) {
      expect(parseRecovery(new Secret(typed))).toEqual(key);
    }
    expect(parseRecovery(new Secret(text.replaceAll("0", "O").replaceAll("1", "l").replaceAll("V", "u")))).toEqual(key);
  }
});

test("a key of zeros and one of ones keep their length", () => {
  for (const key of [Buffer.alloc(32), Buffer.alloc(32, 0xff)]) expect(parseRecovery(recoveryText(key))).toEqual(key);
});

test("one wrong character, two exchanged ones, a character more or less, and other text are refused without being repeated", () => {
  const text = recoveryText(Buffer.alloc(32, 0x5a)).reveal();
  const wrong = [...text].flatMap((character, at) =>
    character === "-" ? [] : [`${text.slice(0, at)}${character === "7" ? "8" : "7"}${text.slice(at + 1)}`],
  );
  const swapped = `${text.charAt(1)}${text.charAt(0)}${text.slice(2)}`;
  expect(wrong).toHaveLength(56);
  for (const bad of [...wrong, swapped, text.slice(0, -1), `${text}0`, "", "*".repeat(56), text.replace("-", "_")]) {
    if (bad === text) continue;
    const attempt = (): unknown => parseRecovery(new Secret(bad));
    expect(attempt, bad).toThrow(INVALID);
    expect(attempt).not.toThrow(new RegExp(text.slice(5, 9)));
  }
});

test("the data key comes back with this vault's key only", () => {
  const dataKey = randomBytes(32);
  const { key, wrap } = createRecovery(ID, dataKey);
  expect(openRecovery(ID, wrap, key)).toEqual(dataKey);
  const refusal = expect.objectContaining({ code: "VAULT_KEY" });
  expect(() => openRecovery(ID, wrap, recoveryText(randomBytes(32)))).toThrow(refusal);
  expect(() => openRecovery(ID.replace("0", "1"), wrap, key)).toThrow(refusal);
  expect(() => openRecovery(ID, createRecovery(ID, dataKey).wrap, key)).toThrow(refusal);
});

test("the key shows itself only when asked to", () => {
  const { key } = createRecovery(ID, randomBytes(32));
  expect([String(key), JSON.stringify({ key })]).toEqual(["[secret]", '{"key":"[secret]"}']);
});
