import { InternalError } from "../../base/invariant.js";
import { parseBytes } from "./bytea.js";
import { type Row, SQL, type SqlFragment, type SqlText } from "./database.js";
import { quoteName, quoteNames } from "./quote.js";
import { parseArray } from "./sql-array.js";
import { parseTimestamp } from "./timestamps.js";

/** How the values of one column are selected and decoded. */
export interface Column<Value> {
  /** The value of a string in the database's form, or `undefined` for a string of another kind. */
  readonly parse: (text: string) => Value | undefined;
  /** The selected expression, if it is not the column of the same name. */
  readonly expression?: SqlFragment;
  /** How to read null: keep it, or omit the key. Without this setting, null is a defect. */
  readonly nulls?: "kept" | "left out";
}

/** A column whose key is omitted if it is null. */
export interface OptionalColumn<Value> extends Column<Value> {
  readonly nulls: "left out";
}

export const text: Column<string> = { parse: (given) => given };

/** Up to 2^53 - 1. */
export const integer: Column<number> = {
  parse: (given) => (Number.isSafeInteger(Number(given || Number.NaN)) ? Number(given) : undefined),
};

/** An integer of any size. */
export const bigInteger: Column<bigint> = {
  parse: (given) => (/^-?\d+$/.test(given) ? BigInt(given) : undefined),
};

export const boolean: Column<boolean> = {
  parse: (given) => (given === "t" ? true : given === "f" ? false : undefined),
};

/** A `timestamptz`, to the millisecond. */
export const time: Column<Date> = { parse: (given) => new Date(Number(parseTimestamp(given) / 1000n)) };

/** A `bytea`. */
export const bytes: Column<Uint8Array> = {
  parse: (given) => (given.startsWith("\\x") ? parseBytes(given) : undefined),
};

/** A `text[]`, without its nulls. */
export const texts: Column<readonly string[]> = {
  parse: (given) => parseArray(given).filter((item) => item !== null),
};

/** One of a few strings. */
export function oneOf<const Text extends string>(allowed: readonly Text[]): Column<Text> {
  return { parse: (given) => allowed.find((each) => each === given) };
}

/** A nullable column that reads null as null. */
export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  return { ...column, nulls: "kept" };
}

/** A nullable column whose key is omitted if it is null. */
export function optional<Value>(column: Column<Value>): OptionalColumn<Value> {
  return { ...column, nulls: "left out" };
}

/** The value of an expression, under its key. */
export function computed<Kind extends Column<unknown>>(expression: SqlFragment, column: Kind): Kind {
  return { ...column, expression };
}

type Values<Spec> = {
  readonly [Key in keyof Spec as Spec[Key] extends { nulls: "left out" } ? never : Key]: ValueOf<Spec[Key]>;
} & {
  readonly [Key in keyof Spec as Spec[Key] extends { nulls: "left out" } ? Key : never]?: ValueOf<Spec[Key]>;
};
type ValueOf<Kind> = Kind extends Column<infer Value> ? Value : never;

/** A row mapper: a select list, and how to read its rows. */
export interface Columns<Read> {
  /** The list between `select` and `from`, or after `returning`. */
  readonly list: SqlFragment;
  /** @throws InternalError for a row without one of the columns, or with a value of another kind */
  readonly read: (row: Row) => Read;
}

/** The type into which a row mapper reads a row. */
export type RowOf<Mapper> = Mapper extends Columns<infer Read> ? Read : never;

/** Creates a row mapper for columns. The key `createdAt` stands for `created_at`. @param alias of the table */
export function columns<const Spec extends Readonly<Record<string, Column<unknown>>>>(
  spec: Spec,
  alias = "",
): Columns<Values<Spec>> {
  const found = Object.entries(spec).map(([key, column]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const own = alias === "" ? quoteName(name) : quoteNames(alias, name);
    const selected = column.expression ? SQL`${column.expression} as ${quoteName(name)}` : own;
    return { key, name, column, selected };
  });
  const list = SQL`${found.map(({ selected }) => selected)}`;
  const read = (row: Row): Values<Spec> => {
    const values: Record<string, unknown> = {};
    for (const { key, name, column } of found) {
      const value = decode(row, name, column);
      if (value !== undefined) values[key] = value;
    }
    return values as Values<Spec>;
  };
  return { list, read };
}

/** The string in one cell, which must exist. @throws InternalError */
export function cell(row: Row, name: string): string {
  return String(decode(row, name, text));
}

function decode(row: Row, name: string, { parse, nulls }: Column<unknown>): unknown {
  const given: SqlText | undefined = row[name];
  if (given === undefined) throw new InternalError(`a row lacks the column ${name}`);
  if (given === null && nulls) return nulls === "kept" ? null : undefined;
  if (given === null) throw new InternalError(`the column ${name} is null in a row`);
  const value = parse(given);
  if (value === undefined)
    throw new InternalError(`the column ${name} holds a value of the wrong type in a row`);
  return value;
}
