import { InternalError } from "../../base/invariant.js";
import { parseBytes } from "./bytea.js";
import type { Row } from "./database.js";
import { parseArray } from "./sql-array.js";
import { parseTimestamp } from "./timestamps.js";

/** How the values of one column are selected and read. */
export interface Column<Value> {
  /** For messages: `an integer`. */
  readonly kind: string;
  /** The value of a text in the database's form; nothing for a text that is not of this kind. */
  readonly parse: (text: string) => Value | undefined;
  /** What is selected, where that is not the column of the same name. */
  readonly expression?: string;
  /** What becomes of null: it stays null, or its key is left out. Without a word, null is a defect. */
  readonly nulls?: "kept" | "left out";
}

/** A column whose key is left out where it is null. */
export interface OptionalColumn<Value> extends Column<Value> {
  readonly nulls: "left out";
}

export const text: Column<string> = { kind: "a text", parse: (given) => given };

/** Up to 2^53 - 1, which the counts of rows are, too. */
export const integer: Column<number> = {
  kind: "an integer",
  parse: (given) =>
    /^-?\d+$/.test(given) && Number.isSafeInteger(Number(given)) ? Number(given) : undefined,
};

/** An integer of any size. */
export const bigInteger: Column<bigint> = {
  kind: "an integer",
  parse: (given) => (/^-?\d+$/.test(given) ? BigInt(given) : undefined),
};

/** A number with or without a fraction. */
export const decimal: Column<number> = {
  kind: "a number",
  parse: (given) => (/^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : undefined),
};

export const boolean: Column<boolean> = {
  kind: "a boolean",
  parse: (given) => (given === "t" ? true : given === "f" ? false : undefined),
};

/** A `timestamptz`, to the millisecond. */
export const time: Column<Date> = {
  kind: "a time",
  parse(given) {
    try {
      return new Date(Number(parseTimestamp(given) / 1000n));
    } catch {
      return undefined;
    }
  },
};

/** A `bytea`. */
export const bytes: Column<Uint8Array> = {
  kind: "bytes",
  parse: (given) => (given.startsWith("\\x") ? parseBytes(given) : undefined),
};

/** A `text[]` without nulls in it. */
export const texts: Column<readonly string[]> = {
  kind: "a list of texts",
  parse(given) {
    if (!given.startsWith("{")) return undefined;
    const items = parseArray(given);
    const found = items.filter((item) => item !== null);
    return found.length === items.length ? found : undefined;
  },
};

/** One of a few texts. */
export function oneOf<const Text extends string>(allowed: readonly Text[]): Column<Text> {
  return { kind: `one of ${allowed.join(", ")}`, parse: (given) => allowed.find((each) => each === given) };
}

/** A column that may be null, and is null then. */
export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  return { ...column, nulls: "kept" };
}

/** A column that may be null, and whose key is left out then. */
export function optional<Value>(column: Column<Value>): OptionalColumn<Value> {
  return { ...column, nulls: "left out" };
}

/** What an expression gives, under the name of its key. */
export function computed<Kind extends Column<unknown>>(expression: string, column: Kind): Kind {
  return { ...column, expression };
}

/** What columns are read as. */
type Values<Spec> = {
  readonly [Key in keyof Spec as Spec[Key] extends OptionalColumn<unknown>
    ? never
    : Key]: Spec[Key] extends Column<infer Value> ? Value : never;
} & {
  readonly [Key in keyof Spec as Spec[Key] extends OptionalColumn<unknown>
    ? Key
    : never]?: Spec[Key] extends OptionalColumn<infer Value> ? Value : never;
};

/** What a reader of columns makes of a row. */
export type RowOf<Reader> = Reader extends Columns<infer Read> ? Read : never;

/** A select list, and the readers of the rows that it gives. All of them throw InternalError for a row that does not fit. */
export interface Columns<Read> {
  /** What stands between `select` and `from`, or behind `returning`. */
  readonly list: string;
  all(rows: readonly Row[]): readonly Read[];
  /** The first row; nothing when there is none. */
  first(rows: readonly Row[]): Read | undefined;
  /** The row of a statement that always gives one. */
  one(rows: readonly Row[]): Read;
}

/**
 * A row mapper: what is selected of rows, and how it is read. The key `createdAt` stands for the column `created_at`.
 * @param alias of the table, where the statement has several
 */
export function columns<const Spec extends Readonly<Record<string, Column<unknown>>>>(
  spec: Spec,
  alias?: string,
): Columns<Values<Spec>> {
  const found = Object.entries(spec).map(([key, column]) => ({ key, name: snakeCase(key), ...column }));
  const own = alias === undefined ? "" : `${alias}.`;
  const read = (row: Row): Values<Spec> => {
    const values: Record<string, unknown> = {};
    for (const { key, name, kind, parse, nulls } of found) {
      const given = row[name];
      if (given === undefined) throw new InternalError(`a row does not have the column ${name}`);
      if (given === null) {
        if (nulls === undefined) throw new InternalError(`the column ${name} of a row is null`);
        if (nulls === "kept") values[key] = null;
        continue;
      }
      const value = parse(given);
      if (value === undefined) throw new InternalError(`the column ${name} of a row is not ${kind}`);
      values[key] = value;
    }
    return values as Values<Spec>;
  };
  const first = (rows: readonly Row[]): Values<Spec> | undefined => rows[0] && read(rows[0]);
  return {
    list: found
      .map(({ name, expression }) => (expression === undefined ? own + name : `${expression} as ${name}`))
      .join(", "),
    all: (rows) => rows.map(read),
    first,
    one(rows) {
      const row = first(rows);
      if (!row) throw new InternalError("a statement that always gives a row gave none");
      return row;
    },
  };
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
