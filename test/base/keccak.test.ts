import { keccak256 as known } from "ethers/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keccak256 } from "../../src/base/keccak.js";
import { propertyRun } from "../support/property/property-run.js";

test("the hash equals that of ethers for bytes and for hex", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const hex = `0x${Buffer.from(bytes).toString("hex")}`;
      expect(keccak256(bytes)).toBe(known(bytes));
      expect(keccak256(hex)).toBe(known(bytes));
    }),
    propertyRun(200),
  );
});

test("long data is hashed whole", () => {
  for (const length of [135, 136, 137, 16_383, 16_384, 16_385, 200_000]) {
    const bytes = Buffer.alloc(length, 7);
    expect(keccak256(bytes)).toBe(known(bytes));
  }
});
