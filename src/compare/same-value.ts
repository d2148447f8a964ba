/** The rule that compares the values of a field. */
export type ValueRule =
  /** By the JSON that the endpoints return. */
  | "exact"
  /** By numeric value: `1.50` equals `1.5`. */
  | "decimal";

/** Whether two values of a field are equal; lists are equal when their items are equal, in order. */
export function sameValue(rule: ValueRule, left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => sameValue(rule, item, right[index]));
  if (rule === "decimal" && typeof left === "string" && typeof right === "string")
    return left === right || normalDecimal(left) === normalDecimal(right);
  return left === right;
}

/** A normal form that is the same for all notations of a number; returns other strings unchanged. */
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
