import { isSlip } from "../../base/text/is-slip.js";
import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { LocatedString } from "../source/source.js";
import { type Details, rewrite } from "./diagnostic.js";

/** What a wrong name probably means. */
export interface NearName {
  readonly name: string;
  /**
   * Whether it is the only possible meaning: it differs in case or by one typo, and no other name is similar.
   */
  readonly certain: boolean;
}

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
 * A hint about what a wrong name probably means, and a fix if the meaning is certain.
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
