import { expect, it } from "vitest";
import { bytesText, parseBytes } from "../../../src/store/database/bytea.js";

const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);

it.each([
  ["no bytes", new Uint8Array(), "\\x"],
  ["few bytes", Uint8Array.of(0, 1, 0x0a, 0xff), "\\x00010aff"],
  ["a view into a larger array", every.subarray(0x7e, 0x81), "\\x7e7f80"],
])("the codec writes and reads back %s", (_, bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
  expect([...parseBytes(text)]).toEqual([...bytes]);
});

it("the codec reads back every byte value that it wrote", () => {
  expect([...parseBytes(bytesText(every))]).toEqual([...every]);
});
