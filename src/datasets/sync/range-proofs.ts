import type { Part, Proofs } from "../extract/proofs.js";
import type { Window } from "./windows.js";

/** The proofs of the files of a range of blocks. */
export interface RangeProofs extends Window, Proofs {}

/** A range of files and its recorded proofs; `undefined` if none were recorded. */
export interface RecordedRange extends Window {
  readonly proofs: Proofs | undefined;
}

/** Adds the proofs of a file. Neighbours with equal proofs are merged. */
export function withProofs(
  all: readonly RangeProofs[],
  { from, to }: Window,
  { proved, believed }: Proofs,
): readonly RangeProofs[] {
  const others = all.flatMap((one) =>
    [
      { ...one, to: Math.min(one.to, from - 1) },
      { ...one, from: Math.max(one.from, to + 1) },
    ].filter((part) => part.from <= part.to),
  );
  const sorted = [...others, { from, to, proved, believed }].sort((one, other) => one.from - other.from);
  const merged: RangeProofs[] = [];
  for (const range of sorted) {
    const before = merged.at(-1);
    if (before && before.to + 1 === range.from && areSame(before, range))
      merged[merged.length - 1] = { ...before, to: range.to };
    else merged.push(range);
  }
  return merged;
}

/** The records that remain if only these files do. */
export function proofsOfFiles(all: readonly RangeProofs[], files: readonly Window[]): readonly RangeProofs[] {
  let left: readonly RangeProofs[] = [];
  for (const { proofs, ...range } of recordedRanges(all, files))
    if (proofs) left = withProofs(left, range, proofs);
  return left;
}

/** The records of files, in order. Neighbours with equal records are merged. */
export function recordedRanges(
  all: readonly RangeProofs[],
  files: readonly Window[],
): readonly RecordedRange[] {
  const found: RecordedRange[] = [];
  for (const { from, to } of [...files].sort((one, other) => one.from - other.from)) {
    const range = all.find((one) => one.from <= from && one.to >= to);
    const proofs = range && { proved: range.proved, believed: range.believed };
    const before = found.at(-1);
    const isSame = before?.proofs && proofs ? areSame(before.proofs, proofs) : before?.proofs === proofs;
    if (before && before.to + 1 === from && isSame) found[found.length - 1] = { ...before, to };
    else found.push({ from, to, proofs });
  }
  return found;
}

/** Whether a parsed value is a list of range proofs. */
export function areRangeProofs(value: unknown): value is readonly RangeProofs[] {
  return Array.isArray(value) && value.every(isOne);
}

function isOne(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { from, to, proved, believed } = value as Partial<RangeProofs>;
  return (
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    Array.isArray(proved) &&
    proved.every((part) => typeof part === "string") &&
    typeof believed === "object" &&
    believed !== null &&
    Object.values(believed).every((why) => typeof why === "string")
  );
}

function areSame(one: Proofs, other: Proofs): boolean {
  return proofKey(one) === proofKey(other);
}

function proofKey({ proved, believed }: Proofs): string {
  const reasons = Object.entries(believed) as readonly [Part, string][];
  return JSON.stringify([[...proved].sort(), reasons.map(([part, why]) => `${part} ${why}`).sort()]);
}
