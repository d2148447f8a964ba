import { quote } from "../../base/quote.js";
import type { LocatedString } from "../source/source.js";
import { type Details, rewrite } from "./diagnostic.js";
import { suggest } from "./suggest.js";

/** What a wrong name was probably meant to be. */
export interface NearName {
  readonly name: string;
  /** Whether nothing else can have been meant: it differs in case or by one slip, and no other name is near. */
  readonly certain: boolean;
}

/** Names of fewer letters differ by a slip from too many others. */
const shortestSlip = 4;

/** The name nearest to a wrong one, if any is near. */
export function nearName(word: string, candidates: Iterable<string>): NearName | undefined {
  const [name, ...others] = suggest(word, candidates);
  if (name === undefined) return undefined;
  return { name, certain: others.length === 0 && isSlip(word, name) };
}

/** Whether names hold the same digits: `token0` and `token1` are no slips of each other. */
export function sameDigits(a: string, b: string): boolean {
  return a.replace(/\D/g, "") === b.replace(/\D/g, "");
}

/**
 * The hint that names what was probably meant instead of a wrong name, and the fix where that is certain.
 * @returns nothing when no candidate is near
 */
export function correctName(
  written: LocatedString,
  candidates: Iterable<string>,
): Pick<Details, "hint" | "fix"> | undefined {
  const near = nearName(written.value, candidates);
  if (!near) return undefined;
  return { hint: `write ${quote(near.name)}`, ...(near.certain && { fix: [rewrite(written, near.name)] }) };
}

/** Whether two names differ only in case. */
export function differsInCase(a: string, b: string): boolean {
  return a !== b && a.toLowerCase() === b.toLowerCase();
}

/** Whether names differ in case, or by one letter that is added, missing, wrong or swapped with its neighbour. */
export function isSlip(written: string, meant: string): boolean {
  const [a, b] = [written.toLowerCase(), meant.toLowerCase()];
  if (a === b) return true;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isOne = x.length <= 1 && y.length <= 1;
  const isSwap = x.length === 2 && y.length === 2 && x[0] === y[1] && x[1] === y[0];
  return (isOne || isSwap) && Math.min(a.length, b.length) >= shortestSlip;
}
