/** The order of ids: by the UTF-8 bytes of strings, which is also the order of Bytes, or as numbers. */
export type IdOrder = "text" | "number";

/** Negative when `a` comes before `b`, positive when after, 0 when they are equal. */
export function compareIds(order: IdOrder, a: string, b: string): number {
  if (a === b) return 0;
  return order === "number" ? compareNumbers(BigInt(a), BigInt(b)) : compareTexts(a, b);
}

/** Whether a string can be an id of this order. */
export function isId(order: IdOrder, text: string): boolean {
  return order === "text" || /^-?\d{1,19}$/.test(text);
}

function compareNumbers(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** JavaScript orders by UTF-16 units, which differs from the order of UTF-8 bytes when there are surrogates. */
const surrogate = /[\ud800-\udfff]/;

function compareTexts(a: string, b: string): number {
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}
