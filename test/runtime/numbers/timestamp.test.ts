import { expect, test } from "vitest";
import { isTimestamp } from "../../../src/runtime/numbers/timestamp.js";

test.each([
  [0n, true],
  [-1n, false],
  [-1_000_000n, true],
  [-1_000_001n, false],
  [253_402_300_800_000_000n, true],
  [8_210_266_876_799_999_999n, true],
  [8_210_266_876_800_000_000n, false],
  [-8_334_601_228_800_000_000n, true],
  [-8_334_601_228_801_000_000n, false],
])("isTimestamp(%s) is %s", (microseconds, isOne) => {
  expect(isTimestamp(microseconds)).toBe(isOne);
});
