import { quote } from "../../base/quote.js";
import type { LocatedString } from "../source/source.js";
import { type Details, rewrite } from "./diagnostic.js";
import { suggest } from "./suggest.js";

/** The probable meaning of a wrong name. */
export interface NearName {
  readonly name: string;
  /**
   * Whether it is the only possible meaning: it differs in case or by one typo, and no other name is similar.
   */
  readonly certain: boolean;
}

/** Shorter names differ by a single typo from too many others. */
const shortestSlip = 4;

/** The candidate most similar to a wrong name, or `undefined` if none is similar. */
export function nearName(word: string, candidates: Iterable<string>): NearName | undefined {
  const [name, ...others] = suggest(word, candidates);
  if (name === undefined) return undefined;
  // Some sources put underscores around names, others do not.
  const bare = others.filter((other) => sameBare(word, other));
  if (sameBare(word, name)) return { name, certain: bare.length === 0 };
  return { name, certain: others.length === 0 && isSlip(word, name) };
}

/** Whether names are equal except for leading and trailing underscores. */
function sameBare(a: string, b: string): boolean {
  const [one, other] = [a, b].map((name) => name.replace(/^_+|_+$/g, ""));
  return one !== "" && one === other;
}

/** Whether names have the same digits: `token0` is not a typo of `token1`. */
export function sameDigits(a: string, b: string): boolean {
  return a.replace(/\D/g, "") === b.replace(/\D/g, "");
}

/**
 * A hint with the probable meaning of a wrong name, and a fix if the meaning is certain.
 * @returns `undefined` if no candidate is similar
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

/** Whether names differ in case, or by one letter added, missing, replaced or transposed. */
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
