/** DuckDB's words, what we say instead, and what to do. The functions get the groups of the pattern. */
export type Translation = readonly [
  words: RegExp,
  message: string | ((...groups: string[]) => string),
  hint?: string | ((...groups: string[]) => string | undefined),
];

/** DuckDB's names of types, as people write them. */
const typeNames: Readonly<Record<string, string>> = {
  INT8: "TINYINT",
  INT16: "SMALLINT",
  INT32: "INTEGER",
  INT64: "BIGINT",
  INT128: "HUGEINT",
  UINT8: "UTINYINT",
  UINT16: "USMALLINT",
  UINT32: "UINTEGER",
  UINT64: "UBIGINT",
  UINT128: "UHUGEINT",
  BOOL: "BOOLEAN",
  STRING_LITERAL: "a text",
  INTEGER_LITERAL: "a whole number",
  "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ",
  "TIME WITH TIME ZONE": "TIMETZ",
};

/** DuckDB's name of a type, as people write it. */
export function typeName(type = ""): string {
  return typeNames[type.trim()] ?? type.trim();
}

/** The types in a list such as `VARCHAR, DECIMAL(5,2)`. */
export function typesIn(list: string): readonly string[] {
  return list === "" ? [] : list.split(/, (?![^(]*\))/).map(typeName);
}

/** A hint to write the name that DuckDB offers. */
export function near(...names: (string | undefined)[]): string | undefined {
  const [name] = names;
  return name === undefined ? undefined : `write ${name}`;
}

/** A value that fits into a message. */
export function shortened(value: string): string {
  return value.length > 80 ? `${value.slice(0, 77)}...` : value;
}
