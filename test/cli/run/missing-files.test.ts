import { expect, test } from "vitest";
import { missingFilesText } from "../../../src/cli/run/run-word.js";

test("the error names the missing files, but only the first ten", () => {
  expect(missingFilesText("mainnet", [])).toBe("");
  expect(missingFilesText("mainnet", ["QmA", "QmB/\u001b[2J.json"])).toBe(
    "mainnet: 2 files not found yet; the next run looks for them again:\n  QmA\n  QmB/\\u001b[2J.json\n",
  );
  const many = Array.from({ length: 12 }, (_, index) => `Qm${index}`);
  expect(missingFilesText("mainnet", many).split("\n").slice(-4)).toEqual([
    "  Qm8",
    "  Qm9",
    "  and 2 more",
    "",
  ]);
});
