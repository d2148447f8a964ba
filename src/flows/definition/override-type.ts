/** A type that schema_override chooses for a column of a database. */
export interface OverrideType {
  /** Lower case: `numeric`. */
  readonly name: (typeof overrideNames)[number];
  /** What stands in parentheses: `[78, 0]`. */
  readonly sizes: readonly number[];
}

/** The types that may be chosen, in lower case. */
export const overrideNames = [
  "text",
  "varchar",
  "char",
  "json",
  "jsonb",
  "smallint",
  "integer",
  "bigint",
  "numeric",
  "decimal",
  "real",
  "double precision",
  "boolean",
  "bytea",
  "uuid",
  "date",
  "timestamp",
  "timestamptz",
  "text[]",
] as const;

/** Reads the type that an override names; `undefined` for another text. */
export function overrideType(text: string): OverrideType | undefined {
  const [, written = "", sizes] =
    /^([a-z ]+(?:\[\])?)(?:\((\d{1,4}(?:, ?\d{1,4})?)\))?$/.exec(text.trim().toLowerCase()) ?? [];
  const name = overrideNames.find((one) => one === written.trim());
  if (name === undefined) return undefined;
  return { name, sizes: sizes === undefined ? [] : sizes.split(",").map(Number) };
}
