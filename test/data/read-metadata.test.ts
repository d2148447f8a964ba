import { AbiCoder } from "ethers";
import { expect, it } from "vitest";
import { textIn } from "../../src/data/catalog/read-metadata.js";

/** What is kept of a name that a contract gives. */
function kept(name: string): string | null {
  return textIn(AbiCoder.defaultAbiCoder().encode(["string"], [name]));
}

const family = "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}";

it.each([
  ["a family", family],
  ["a heart on fire, with a variation selector", "\u2764\uFE0F\u200D\u{1F525}"],
  ["a waving woman with a tone of skin", "\u{1F64B}\u{1F3FD}\u200D\u2640\uFE0F"],
  ["a Persian word", "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645"],
  ["a Sinhala word", "\u0DC1\u0DCA\u200D\u0DBB\u0DD3"],
])("readMetadata keeps the joiners of %s", (_, name) => {
  expect(kept(name)).toBe(name);
});

it.each([
  ["USD\u200DC", "USDC"],
  ["\u200DUSDC\u200C", "USDC"],
  ["\u202EUSDC\u0000\u001B[2J", "USDC[2J"],
  [`${family}\u200D`, family],
  ["\u{1F468}\u200D\u200D\u{1F469}", "\u{1F468}\u{1F469}"],
])("readMetadata removes invisible characters from %j", (name, text) => {
  expect(kept(name)).toBe(text);
});

it("readMetadata leaves no joiner at the end of a name that is cut", () => {
  const text = kept("\u{1F468}\u200D".repeat(300));
  expect([...(text ?? "")]).toHaveLength(199);
  expect(text?.endsWith("\u200D")).toBe(false);
});
