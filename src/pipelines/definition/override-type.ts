/** A type that schema_override chooses for a column of a database. */
export interface OverrideType<Name extends string = PostgresTypeName> {
  /** Lower case: `numeric`. */
  readonly name: Name;
  /** The numbers in parentheses: `[78, 0]`. */
  readonly sizes: readonly number[];
}

/** The types of PostgreSQL that may be chosen, in lower case. */
export const postgresTypes = [
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

export type PostgresTypeName = (typeof postgresTypes)[number];

/** The types of MySQL that may be chosen, in lower case. */
export const mysqlTypes = [
  "char",
  "varchar",
  "text",
  "mediumtext",
  "longtext",
  "json",
  "tinyint",
  "smallint",
  "int",
  "bigint",
  "decimal",
  "float",
  "double",
  "boolean",
  "date",
  "datetime",
  "timestamp",
  "binary",
  "varbinary",
  "blob",
  "longblob",
] as const;

export type MysqlTypeName = (typeof mysqlTypes)[number];

/** The types of DuckDB that may be chosen, in lower case. It does not keep to the length of a text, so none has one. */
export const duckdbTypes = [
  "varchar",
  "json",
  "tinyint",
  "smallint",
  "integer",
  "bigint",
  "hugeint",
  "utinyint",
  "usmallint",
  "uinteger",
  "ubigint",
  "uhugeint",
  "bignum",
  "decimal",
  "float",
  "double",
  "boolean",
  "date",
  "timestamp",
  "timestamptz",
  "blob",
  "uuid",
  "varchar[]",
] as const;

export type DuckDbTypeName = (typeof duckdbTypes)[number];

/** Reads the type that an override names; `undefined` for another text. @param names the available types */
export function overrideType(text: string): OverrideType | undefined;
export function overrideType<Name extends string>(
  text: string,
  names: readonly Name[],
): OverrideType<Name> | undefined;
export function overrideType(
  text: string,
  names: readonly string[] = postgresTypes,
): OverrideType<string> | undefined {
  const [, written = "", sizes] =
    /^([a-z ]+(?:\[\])?)(?:\((\d{1,5}(?:, ?\d{1,4})?)\))?$/.exec(text.trim().toLowerCase()) ?? [];
  const name = names.find((one) => one === written.trim());
  if (name === undefined) return undefined;
  return { name, sizes: sizes === undefined ? [] : sizes.split(",").map(Number) };
}
