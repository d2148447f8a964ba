/** How the values of a field are compared. */
export type ValueRule =
  /** As they are answered. */
  | "exact"
  /** As the numbers that they stand for: `1.50` is `1.5`. */
  | "decimal";

/** Whether two values of a field are the same; lists are, when their items are, in order. */
export function sameValue(rule: ValueRule, left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => sameValue(rule, item, right[index]));
  if (rule === "decimal" && typeof left === "string" && typeof right === "string")
    return left === right || normalDecimal(left) === normalDecimal(right);
  return left === right;
}

/** The same text for all texts of a number; a text that is no number stays as it is. */
function normalDecimal(text: string): string {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match ?? [];
  if (!match || whole + fraction === "") return text;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign === "-" ? "-" : ""}${significant}e${scale}`;
}
