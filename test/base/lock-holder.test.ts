import { expect, it } from "vitest";
import {
  holderNote,
  isSameHolder,
  type LockHolder,
  readHolderNote,
  thisProcess,
} from "../../src/base/lock-holder.js";

const since = new Date("2026-01-02T03:04:05.678Z");
const self: LockHolder = { ...thisProcess(), since };

it("a holder is the same after its note was kept as JSON", () => {
  const kept = readHolderNote(JSON.parse(JSON.stringify(holderNote(self))));
  expect(kept).toEqual(self);
  expect(kept && isSameHolder(kept, self)).toBe(true);
});

it.each<[string, Partial<LockHolder>]>([
  ["process", { pid: self.pid + 1 }],
  ["host", { host: "elsewhere" }],
  ["container", { namespace: "pid:[1]" }],
  ["time", { since: new Date(0) }],
])("a holder with a different %s is another holder", (_, other) => {
  expect(isSameHolder(self, { ...self, ...other })).toBe(false);
});

it.each([
  [undefined],
  [null],
  [{}],
  ["text"],
  [{ process: { pid: "x" }, since: 1 }],
  [{ process: self }],
])("%j is not the name of a holder", (note) => {
  expect(readHolderNote(note)).toBeUndefined();
});
