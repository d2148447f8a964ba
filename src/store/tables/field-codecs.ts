import { decimalText, parseDecimal } from "../../runtime/numbers/big-decimal.js";
import type { StoreValue } from "../../subgraph/schema/entity.js";
import type { ValueKind } from "../../subgraph/schema/entity-schema.js";
import { SQL, type SqlFragment, type SqlText } from "../database/database.js";
import { arrayText, parseArray } from "../database/sql-array.js";
import { parseTimestamp, timestampText } from "../database/timestamps.js";

/** The codec of a field: how the database stores its values, and in which form each reader gets them. */
export interface FieldCodec {
  /** Encodes a value in the database's text form. @throws Error for a value of another kind */
  readonly toSql: (value: StoreValue | undefined) => SqlText;
  /** Whether that form needs no quotes inside an array. */
  readonly isBare: boolean;
  /** Decodes a value from the database's text form. */
  readonly fromSql: (text: string) => StoreValue;
  /** SQL for a value as JSON. Numbers that JSON cannot hold become strings. */
  readonly jsonSql: (sql: SqlFragment) => SqlFragment;
  /** Converts a result of `jsonSql` to the form of query answers. */
  readonly answered: (json: unknown) => unknown;
  /** Converts the database's text form to JSON for webhook receivers. */
  readonly sent: (text: string) => unknown;
  /** Converts the database's text form to the form for people and for ids. */
  readonly shown: (text: string) => string;
  /** SQL for the prefix of values, if indexes hold only a prefix. */
  readonly prefix?: IndexedPrefix;
}

/** The indexed prefix of long values, which do not fit into an index whole. */
export interface IndexedPrefix {
  sql(sql: SqlFragment): SqlFragment;
  /** Whether a value fits into its prefix. @param text the database's form */
  isShort(text: string): boolean;
}

/** The codec of a single value. */
export interface ScalarCodec extends FieldCodec {
  readonly sqlType: SqlFragment;
  readonly json: JsonSql;
  /** Converts a result of `shown` back to the database's text form. */
  readonly stored: (shown: string) => string;
}

type ValueOf<Kind extends ValueKind> = Extract<StoreValue, { readonly kind: Kind }>;

/** The definition of a kind. A missing conversion leaves the string unchanged. */
interface Scalar<Kind extends ValueKind>
  extends Pick<ScalarCodec, "sqlType" | "prefix">,
    Partial<Pick<ScalarCodec, "isBare" | "json" | "sent" | "shown" | "stored">> {
  write(value: ValueOf<Kind>): string;
  read(text: string): ValueOf<Kind>;
  readonly answered?: (text: string) => string;
}

/** How statements convert values and lists of them to JSON. */
interface JsonSql {
  readonly one: (sql: SqlFragment) => SqlFragment;
  readonly list: (sql: SqlFragment) => SqlFragment;
}

const asTexts: JsonSql = { one: (sql) => SQL`${sql}::text`, list: (sql) => SQL`${sql}::text[]` };
const asTheyAre: JsonSql = { one: (sql) => sql, list: (sql) => sql };

const microseconds = (sql: SqlFragment): SqlFragment =>
  SQL`(extract(epoch from ${sql}) * 1000000)::int8::text`;
const asMicroseconds: JsonSql = {
  one: microseconds,
  list: (sql) => SQL`case when ${sql} is not null then
    array(select ${microseconds(SQL`i.v`)} from unnest(${sql}) with ordinality i(v, n) order by i.n) end`,
};

const same = (text: string): string => text;
const fromHex = (hex: string): string => `\\x${hex.slice("0x".length)}`;
const toHex = (text: string): string => `0x${text.slice("\\x".length)}`;

/**
 * One entry for each kind of value, with everything that tables, their writers and their readers know about
 * it.
 */
export const scalarCodecs: Readonly<Record<ValueKind, ScalarCodec>> = {
  String: scalarCodec("String", {
    sqlType: SQL`text`,
    write: ({ value }) => value,
    read: (value) => ({ kind: "String", value }),
    prefix: { sql: (sql) => SQL`left(${sql}, 256)`, isShort: ({ length }) => length < 256 },
  }),
  Bytes: scalarCodec("Bytes", {
    sqlType: SQL`bytea`,
    write: ({ value }) => fromHex(value),
    read: (text) => ({ kind: "Bytes", value: toHex(text) }),
    answered: toHex,
    sent: toHex,
    shown: toHex,
    stored: fromHex,
    // The text form has two digits for each byte, after a two-character prefix.
    prefix: { sql: (sql) => SQL`substring(${sql}, 1, 64)`, isShort: ({ length }) => length < 2 * 64 },
  }),
  Int: scalarCodec("Int", {
    sqlType: SQL`integer`,
    isBare: true,
    write: ({ value }) => String(value),
    read: (text) => ({ kind: "Int", value: Number(text) }),
    json: asTheyAre,
    sent: Number,
  }),
  Int8: scalarCodec("Int8", {
    sqlType: SQL`bigint`,
    isBare: true,
    write: ({ value }) => String(value),
    read: (text) => ({ kind: "Int8", value: BigInt(text) }),
  }),
  BigInt: scalarCodec("BigInt", {
    sqlType: SQL`numeric`,
    isBare: true,
    write: ({ value }) => String(value),
    read: (text) => ({ kind: "BigInt", value: BigInt(text) }),
  }),
  BigDecimal: scalarCodec("BigDecimal", {
    sqlType: SQL`numeric`,
    isBare: true,
    write: ({ value }) => decimalText(value),
    read: (text) => ({ kind: "BigDecimal", value: parseDecimal(text) }),
    answered: (text) => decimalText(parseDecimal(text)),
  }),
  Timestamp: scalarCodec("Timestamp", {
    sqlType: SQL`timestamptz`,
    write: ({ value }) => timestampText(value),
    read: (text) => ({ kind: "Timestamp", value: parseTimestamp(text) }),
    json: asMicroseconds,
    sent: (text) => String(parseTimestamp(text)),
  }),
  Bool: scalarCodec("Bool", {
    sqlType: SQL`boolean`,
    isBare: true,
    write: ({ value }) => (value ? "t" : "f"),
    read: (text) => ({ kind: "Bool", value: text === "t" }),
    json: asTheyAre,
    // A cast to text writes the same form.
    sent: (text) => text === "t" || text === "true",
  }),
};

function scalarCodec<Kind extends ValueKind>(
  kind: Kind,
  {
    write,
    read,
    isBare = false,
    json = asTexts,
    answered = same,
    sent = same,
    shown = same,
    stored = same,
    ...rest
  }: Scalar<Kind>,
): ScalarCodec {
  const isOfKind = (value: StoreValue): value is ValueOf<Kind> => value.kind === kind;
  return {
    ...rest,
    isBare,
    json,
    toSql: (value) => {
      if (value === undefined || value.kind === "Null") return null;
      if (!isOfKind(value))
        throw new Error(`a column of type ${kind} was given a value of type ${value.kind}`);
      return write(value);
    },
    fromSql: read,
    jsonSql: json.one,
    answered: (value) => (typeof value === "string" ? answered(value) : (value ?? null)),
    sent,
    shown,
    stored,
  };
}

/** The codec of lists of values. */
export function listCodec(item: ScalarCodec): FieldCodec {
  return {
    isBare: false,
    toSql: (value) => {
      if (value === undefined || value.kind === "Null") return null;
      if (value.kind !== "Array") throw new Error(`a list column was given a value of type ${value.kind}`);
      return arrayText(value.value.map(item.toSql));
    },
    fromSql: (text) => ({
      kind: "Array",
      value: parseArray(text).map((one) => (one === null ? { kind: "Null" } : item.fromSql(one))),
    }),
    jsonSql: item.json.list,
    answered: (value) => (Array.isArray(value) ? value.map(item.answered) : null),
    sent: (text) => parseArray(text).map((one) => (one === null ? null : item.sent(one))),
    shown: (text) =>
      parseArray(text)
        .map((one) => (one === null ? "null" : item.shown(one)))
        .join(", "),
  };
}

/** The codec of values that indexes hold whole: ids, references and enums. */
export function wholeCodec({ prefix, ...codec }: ScalarCodec): FieldCodec {
  return codec;
}
