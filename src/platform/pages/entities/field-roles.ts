import type { EntityColumn } from "../../../store/tables/layout.js";

/** The meaning of a field's value for people, besides its type. */
export type FieldRole = "block" | "time" | "transaction" | "address" | undefined;

/** The fields that graphloom adds to every type it generates. */
export const baseFields = {
  block: "block_number",
  time: "timestamp_",
  transaction: "transactionHash_",
  contract: "contractId_",
} as const;

const baseNames: ReadonlySet<string> = new Set(Object.values(baseFields));
/** The same facts under the names that mappings written by hand usually have. */
const usualNames: ReadonlySet<string> = new Set(["blockNumber", "blockTimestamp", "transactionHash"]);

const numbers: ReadonlySet<string> = new Set(["Int", "Int8", "BigInt"]);

/** The columns in the order for people: the id, the subgraph's own fields, and last the origin of a row. */
export function inReadingOrder(columns: readonly EntityColumn[]): readonly EntityColumn[] {
  const isOrigin = ({ field }: EntityColumn): boolean => baseNames.has(field) || usualNames.has(field);
  const rank = (column: EntityColumn): number => (column.field === "id" ? 0 : isOrigin(column) ? 2 : 1);
  return [...columns].sort((a, b) => rank(a) - rank(b));
}

/** Whether a column holds single numbers. */
export function isNumber({ scalar, list, kind }: EntityColumn): boolean {
  return kind === "scalar" && !list && (numbers.has(scalar) || scalar === "BigDecimal");
}

/**
 * Guesses the meaning of a value from its field's name and its form.
 * @param shown a single value in the form for people
 */
export function roleOf({ field, scalar, kind }: EntityColumn, shown: string): FieldRole {
  if (kind !== "scalar") return undefined;
  const isWhole = numbers.has(scalar);
  if (isWhole && /^block(_?number)?$/i.test(field)) return "block";
  if (isWhole && /time(stamp)?_?$|(?:[a-z]At|_at)$/i.test(field) && isSeconds(shown)) return "time";
  if (/^0x[\da-f]{64}$/i.test(shown) && /tx|transaction/i.test(field)) return "transaction";
  return /^0x[\da-f]{40}$/i.test(shown) ? "address" : undefined;
}

/** Seconds since 1970, from 2001 to 2096. */
function isSeconds(shown: string): boolean {
  return /^[1-3]\d{9}$/.test(shown);
}

/** Seconds since 1970 in UTC: `2026-11-22 05:37:08`. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}
