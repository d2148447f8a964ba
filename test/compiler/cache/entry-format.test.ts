import { describe, expect, it } from "vitest";
import { decodeEntry, encodeEntry } from "../../../src/compiler/cache/entry-format.js";

const name = "ab".repeat(32);
const payload = Uint8Array.from({ length: 100 }, (_, index) => index);
const whole = encodeEntry(name, payload);

describe("an entry", () => {
  it("returns the bytes that were stored, even if there are none", () => {
    expect([...(decodeEntry(name, whole) ?? [])]).toEqual([...payload]);
    expect(decodeEntry(name, encodeEntry(name, new Uint8Array()))?.length).toBe(0);
  });

  it("is rejected when any byte has changed", () => {
    for (let at = 0; at < whole.length; at++) {
      const damaged = Uint8Array.from(whole);
      damaged[at] = (damaged[at] as number) ^ 1;
      expect(decodeEntry(name, damaged), `byte ${at}`).toBeUndefined();
    }
  });

  it("is rejected when it is truncated or extended", () => {
    for (let length = 0; length < whole.length; length++)
      expect(decodeEntry(name, whole.subarray(0, length)), `${length} bytes`).toBeUndefined();
    expect(decodeEntry(name, Uint8Array.from([...whole, 0]))).toBeUndefined();
  });

  it("is rejected under the key of a different entry", () => {
    expect(decodeEntry("cd".repeat(32), whole)).toBeUndefined();
  });
});
