import { expect, it } from "vitest";
import {
  proofsOfFiles,
  type RangeProofs,
  recordedRanges,
  withProofs,
} from "../../../src/datasets/sync/range-proofs.js";

const strict = { proved: ["header", "logs"], believed: {} } as const;
const loose = {
  proved: ["header"],
  believed: { logs: "bloom filters do not cover the data of logs" },
} as const;

/** What was recorded, one file after another. */
function recorded(
  ...all: readonly (readonly [number, number, typeof strict | typeof loose])[]
): readonly RangeProofs[] {
  let found: readonly RangeProofs[] = [];
  for (const [from, to, proofs] of all) found = withProofs(found, { from, to }, proofs);
  return found;
}

it("files with the same proof form one range", () => {
  expect(recorded([10, 19, strict], [0, 9, strict], [20, 29, loose])).toEqual([
    { from: 0, to: 19, ...strict },
    { from: 20, to: 29, ...loose },
  ]);
});

it("a file that is written again cuts the range that it was in", () => {
  expect(recorded([0, 9, strict], [10, 19, strict], [20, 29, strict], [10, 19, loose])).toEqual([
    { from: 0, to: 9, ...strict },
    { from: 10, to: 19, ...loose },
    { from: 20, to: 29, ...strict },
  ]);
});

it("a file without a record is not recorded, and neither is a file that is only partly in a range", () => {
  const files = [
    { from: 0, to: 9 },
    { from: 10, to: 25 },
    { from: 30, to: 39 },
  ];
  const all = recorded([0, 9, strict], [10, 19, strict]);
  expect(recordedRanges(all, files)).toEqual([
    { from: 0, to: 9, proofs: strict },
    { from: 10, to: 25, proofs: undefined },
    { from: 30, to: 39, proofs: undefined },
  ]);
  expect(proofsOfFiles(all, files)).toEqual([{ from: 0, to: 9, ...strict }]);
});
