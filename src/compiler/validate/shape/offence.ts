import { type Edit, rewrite } from "../../diagnostics/diagnostic.js";
import type { LocatedString, Location } from "../../source/source.js";

/** The part of a string that violates a pattern, and why. */
export interface Offence {
  readonly at: Location;
  readonly label: string;
  readonly hint?: string;
  readonly fix?: readonly Edit[];
}

/** Maximum number of characters to examine. */
const maxLooked = 200;

/**
 * Finds the first character at which a string can no longer match a pattern.
 * @param example a matching string
 * @returns the whole string if every character could still match
 */
export function offenceOf(text: LocatedString, pattern: RegExp, example: string): Offence {
  const { value, at } = text;
  if (value === "") return { at, label: "empty" };
  const looked = [...value.slice(0, maxLooked)];
  let start = 0;
  for (const character of looked) {
    const end = start + character.length;
    if (!canContinue(value.slice(0, end), pattern, example)) {
      const isOnlyFirst = start === 0 && canContinue(`a${character}`, pattern, "");
      return { at: text.part(start, end), label: isOnlyFirst ? "cannot come first" : "not allowed here" };
    }
    start = end;
  }
  return { at, label: "incomplete at its end" };
}

function canContinue(begun: string, pattern: RegExp, example: string): boolean {
  return [begun, `${begun}a`, begun + example.slice(begun.length)].some((text) => pattern.test(text));
}

/** The same for an address, which often lacks digits or has extra ones. */
export function addressOffence(text: LocatedString): Offence {
  const { value, at } = text;
  const digits = /^0x/i.test(value) ? value.slice(2) : value;
  const wrong = /[^0-9a-fA-F]/.exec(digits);
  if (wrong) {
    const start = value.length - digits.length + wrong.index;
    const character = String.fromCodePoint(digits.codePointAt(wrong.index) ?? 0);
    if (/^(?:[\p{L}\p{N}\p{M}_-]+\.)+[a-z]{2,20}$/iu.test(value.slice(0, maxLooked)))
      return {
        at,
        label: "an ENS name",
        hint: "write the address: graphloom does not resolve names",
      };
    return { at: text.part(start, start + character.length), label: "not a hexadecimal digit" };
  }
  if (digits.length !== 40)
    return { at, label: `it has ${digits.length} digits`, hint: "copy the whole address" };
  const hint = `write "0x${digits}"`;
  const fix = [rewrite(text, `0x${digits}`)];
  return value.startsWith("0X")
    ? { at: text.part(0, 2), label: 'the "x" must be lower case', hint, fix }
    : { at: text.part(0, 1), label: '"0x" is missing before it', hint, fix };
}
