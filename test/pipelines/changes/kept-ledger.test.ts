import fc from "fast-check";
import { expect, it } from "vitest";
import { changedLedger, updateLedger } from "../../../src/pipelines/changes/kept-ledger.js";
import type { LedgerEntry } from "../../../src/pipelines/changes/ledger.js";

function entry(from: number, to = from, rows = 1, sum = BigInt(from)): LedgerEntry {
  return { from, to, rows, sum };
}

/** A ledger as a sink keeps it. */
class Kept {
  readonly entries = new Map<number, LedgerEntry>();
  tail: readonly LedgerEntry[] = [];

  write(from: number, added: LedgerEntry | undefined, settled: number): void {
    const { drop, put, tail } = updateLedger(this.tail, { from, entry: added, settled });
    for (const one of drop) expect(this.entries.delete(one)).toBe(true);
    for (const one of put) this.entries.set(one.from, one);
    this.tail = tail;
  }

  get listed(): readonly LedgerEntry[] {
    return [...this.entries.values()].sort((one, other) => one.from - other.from);
  }
}

it("a ledger keeps an entry for each block that may be undone, and one for all earlier blocks", () => {
  const kept = new Kept();
  for (let block = 0; block < 100; block += 1) kept.write(block, entry(block), block - 3);
  expect(kept.listed).toEqual([
    { from: 0, to: 95, rows: 96, sum: 4_560n },
    ...[96, 97, 98, 99].map((block) => entry(block)),
  ]);
  expect(kept.tail).toEqual(kept.listed);
});

it("a ledger replaces the entries of blocks that are undone", () => {
  const kept = new Kept();
  for (let block = 0; block < 4; block += 1) kept.write(block, entry(block), 0);
  kept.write(3, undefined, 0);
  kept.write(2, undefined, 0);
  kept.write(2, entry(2, 2, 5, 77n), 0);
  expect(kept.listed).toEqual([entry(0), entry(1), entry(2, 2, 5, 77n)]);
});

it("a ledger begins another entry after enough rows or blocks, and after a gap", () => {
  const kept = new Kept();
  kept.write(0, entry(0, 9, 50_000, 0n), 10);
  kept.write(10, entry(10, 19, 1, 0n), 20);
  kept.write(20, entry(20, 100_009, 0, 0n), 100_010);
  kept.write(100_010, entry(100_010, 100_010, 0, 0n), 100_011);
  kept.write(100_020, entry(100_020, 100_021, 0, 0n), 100_022);
  expect(kept.listed.map(({ from, to }) => [from, to])).toEqual([
    [0, 9],
    [10, 100_009],
    [100_010, 100_010],
    [100_020, 100_021],
  ]);
});

it("INV-P7: a ledger equals the sum of all blocks that are not undone, after any sequence of changes", () => {
  const steps = fc.array(fc.record({ undone: fc.nat(5), mined: fc.nat(8), final: fc.nat(4) }));
  fc.assert(
    fc.property(steps, (schedule) => {
      const kept = new Kept();
      const sums: bigint[] = [];
      let whole: LedgerEntry[] = [];
      let settled = 0;
      for (const { undone, mined, final } of schedule) {
        for (let count = 0; count < undone && sums.length > settled; count += 1) {
          sums.pop();
          kept.write(sums.length, undefined, settled);
          whole = changedLedger(whole, { from: sums.length, entry: undefined, settled });
        }
        for (let count = 0; count < mined; count += 1) {
          const sum = BigInt.asUintN(128, BigInt(sums.length + 1) << 120n);
          sums.push(sum);
          settled = Math.min(sums.length, Math.max(settled, sums.length - 3 - final));
          const added = entry(sums.length - 1, sums.length - 1, 1, sum);
          kept.write(added.from, added, settled);
          whole = changedLedger(whole, { from: added.from, entry: added, settled });
        }
      }
      const listed = kept.listed;
      expect(whole).toEqual(listed);
      const next = listed.reduce((expected, { from, to }) => (from === expected ? to + 1 : Number.NaN), 0);
      expect(next).toBe(sums.length);
      for (const { from, to, sum } of listed)
        expect(sum).toBe(
          BigInt.asUintN(
            128,
            sums.slice(from, to + 1).reduce((total, one) => total + one, 0n),
          ),
        );
    }),
  );
});
