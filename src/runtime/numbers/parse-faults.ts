/** Why texts are not numbers, in the words of graph-node. */

const empty = "cannot parse integer from empty string";
export const invalidDigit = "invalid digit found in string";

/** @returns `undefined` for digits with an optional sign, however many */
export function integerFault(text: string): string | undefined {
  if (text === "") return empty;
  return /^[+-]?\d+$/.test(text) ? undefined : invalidDigit;
}

/** @returns `undefined` for a `BigInt`: digits with an optional sign, and underscores after the first digit */
export function bigIntFault(text: string): string | undefined {
  if (/^[+-]?$/.test(text)) return empty;
  return /^[+-]?\d[\d_]*$/.test(text) ? undefined : invalidDigit;
}

/**
 * Finds the first error in a decimal number in graph-node's order, which begins with the exponent.
 * @returns `undefined` for a `BigDecimal`, of any size
 */
export function decimalFault(text: string): string | undefined {
  const mark = text.search(/[eE]/);
  const base = mark === -1 ? text : text.slice(0, mark);
  const exponent = mark === -1 ? "0" : text.slice(mark + 1).replace(/^\+/, "");
  const fault = integerFault(exponent);
  if (fault !== undefined) return fault;
  return base === "" ? "Failed to parse empty string" : bigIntFault(base.replace(".", ""));
}

/** The fault of an integer that a type of a fixed size cannot hold. */
export const misfit = (isNegative: boolean): string =>
  `number too ${isNegative ? "small" : "large"} to fit in target type`;
