import { SQL, type SqlFragment, uncheckedSql } from "../../../store/database/database.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";
import type { DuckDbTypeName, OverrideType } from "../../definition/override-type.js";

/** The types of new columns. Integers of 256 bits fit into no number that every reader of a DuckDB file knows. */
const newTypes: Readonly<Record<ValueType, SqlFragment>> = {
  STRING: SQL`VARCHAR`,
  JSON: SQL`JSON`,
  LONG: SQL`BIGINT`,
  DOUBLE: SQL`DOUBLE`,
  DECIMAL: SQL`VARCHAR`,
  NUMERIC: SQL`VARCHAR`,
  BOOLEAN: SQL`BOOLEAN`,
  TIMESTAMP: SQL`TIMESTAMP WITH TIME ZONE`,
  "ARRAY<STRING>": SQL`VARCHAR[]`,
};

/** Types of columns that hold every value, apart from those of new columns. */
const widerTypes: Partial<Readonly<Record<ValueType, readonly string[]>>> = {
  JSON: ["VARCHAR"],
  LONG: ["HUGEINT", "BIGNUM", "VARCHAR"],
  DOUBLE: ["VARCHAR"],
  DECIMAL: ["BIGNUM"],
  BOOLEAN: ["VARCHAR"],
  TIMESTAMP: ["TIMESTAMP"],
};

/** The type of a new column. */
export function newType({ type }: Pick<RowColumn, "type">): SqlFragment {
  return newTypes[type];
}

/** A chosen type in SQL. */
export function chosenType({ name, sizes }: OverrideType<DuckDbTypeName>): SqlFragment {
  return uncheckedSql(sizes.length === 0 ? name : `${name}(${sizes.join(",")})`);
}

/** Whether a column of a type of DuckDB's holds every value of a column of rows. */
export function holds(found: string, { type }: RowColumn): boolean {
  return found === newTypes[type] || (widerTypes[type]?.includes(found) ?? false);
}

/** How a value becomes one of a column, in SQL. */
export interface Conversion {
  readonly value: string;
  /** A condition without which it would be cut or rounded. */
  readonly isExact: string | undefined;
}

/**
 * How values become those of a column.
 * @param from SQL, a value as `storedTypes` has it
 * @param to the type of the column, as DuckDB names it
 */
export function conversion(from: string, type: ValueType, to: string): Conversion {
  if (type === "TIMESTAMP") return fromTime(from, to);
  if (type === "ARRAY<STRING>") return plain(to === "VARCHAR[]" ? from : `to_json(${from})::${to}`);
  if (type === "DOUBLE") return fromDouble(from, to);
  const isText = type !== "LONG" && type !== "BOOLEAN";
  const [, , scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(to) ?? [];
  if (scale !== undefined && isText)
    return { value: `${from}::${to}`, isExact: matches(from, `-?[0-9]*(\\.[0-9]{0,${scale}}0*)?`) };
  if (isInteger(to) && isText)
    return { value: `split_part(${from}, '.', 1)::${to}`, isExact: matches(from, "-?[0-9]+(\\.0*)?") };
  if (to === "BLOB")
    return { value: `unhex(substr(${from}::VARCHAR, 3))`, isExact: matches(from, "0x([0-9a-fA-F]{2})*") };
  if (to === "DATE") return { value: `${from}::DATE`, isExact: matches(from, "[0-9]{4}-[0-9]{2}-[0-9]{2}") };
  if (to === "JSON") return plain(`${from}::VARCHAR::JSON`);
  return plain(type === "STRING" && to === "VARCHAR" ? from : `${from}::${to}`);
}

function fromTime(from: string, to: string): Conversion {
  const time = `make_timestamp(${from})`;
  if (isInteger(to)) return plain(`${from}::${to}`);
  const isCut = to !== "TIMESTAMP" && to !== "TIMESTAMP WITH TIME ZONE" && to !== "VARCHAR";
  return { value: `${time}::${to}`, isExact: isCut ? `${time}::${to}::TIMESTAMP = ${time}` : undefined };
}

function fromDouble(from: string, to: string): Conversion {
  const isRounded = isInteger(to) || to.startsWith("DECIMAL");
  return { value: `${from}::${to}`, isExact: isRounded ? `${from}::${to}::DOUBLE = ${from}` : undefined };
}

function plain(value: string): Conversion {
  return { value, isExact: undefined };
}

function matches(from: string, pattern: string): string {
  return `regexp_full_match(${from}::VARCHAR, '${pattern}')`;
}

function isInteger(type: string): boolean {
  return /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$|^BIGNUM$/.test(type);
}
