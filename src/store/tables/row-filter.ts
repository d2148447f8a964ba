import { SQL, type SqlFragment } from "../database/database.js";
import type { Parameters } from "../database/parameters.js";
import { quoteName } from "../database/quote.js";
import type { EntityColumn } from "./layout.js";

/** How a filter compares a column with a value. */
export type Comparison = "is" | "not" | "lt" | "le" | "gt" | "ge" | "contains" | "starts";

/** A condition on the rows of a table. */
export type RowFilter = ValueFilter | MissingFilter;

/** Compares a column with a value. For a list, `contains` looks for an item. */
export interface ValueFilter {
  readonly column: EntityColumn;
  readonly by: Comparison;
  /** In the database's text form. It has the type of the column, or of the items of a list. */
  readonly value: string;
}

/** Whether a column has no value. */
export interface MissingFilter {
  readonly column: EntityColumn;
  readonly by: "missing" | "present";
}

const signs = { lt: SQL`<`, le: SQL`<=`, gt: SQL`>`, ge: SQL`>=` } as const;

function isAboutMissing(filter: RowFilter): filter is MissingFilter {
  return filter.by === "missing" || filter.by === "present";
}

/**
 * Writes a filter. Its value becomes a parameter.
 * @param alias of the rows in the statement
 */
export function rowFilterSql(filter: RowFilter, alias: SqlFragment, parameters: Parameters): SqlFragment {
  const { codec, list, name, sqlType } = filter.column;
  const column = SQL`${alias}.${quoteName(name)}`;
  if (isAboutMissing(filter)) {
    return SQL`${column} is ${filter.by === "missing" ? SQL`null` : SQL`not null`}`;
  }
  const value = parameters.bind(filter.value, sqlType);
  switch (filter.by) {
    case "is": {
      const { prefix } = codec;
      // Indexes hold only the beginning of long values.
      return prefix
        ? SQL`(${prefix.sql(column)} = ${prefix.sql(value)} and ${column} = ${value})`
        : SQL`${column} = ${value}`;
    }
    case "not":
      return SQL`${column} is distinct from ${value}`;
    case "contains":
      return list ? SQL`${value} = any(${column})` : SQL`strpos(lower(${column}), lower(${value})) > 0`;
    case "starts":
      return sqlType === "bytea"
        ? SQL`substring(${column}, 1, length(${value})) = ${value}`
        : SQL`starts_with(${column}, ${value})`;
    default:
      return SQL`${column} ${signs[filter.by]} ${value}`;
  }
}
