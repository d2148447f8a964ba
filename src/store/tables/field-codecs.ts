import { decimalText, parseDecimal } from "../../runtime/numbers/big-decimal.js";
import type { StoreValue } from "../../subgraph/schema/entity.js";
import type { ValueKind } from "../../subgraph/schema/entity-schema.js";
import { SQL, type SqlFragment, type SqlText } from "../database/database.js";
import { arrayText, parseArray } from "../database/sql-array.js";
import { parseTimestamp, timestampText } from "../database/timestamps.js";

/** Codec of a field: how its values lie in the database, and how each reader gets them. */
export interface FieldCodec {
  /** A value in the database's text form. @throws Error for one of another kind */
  readonly toSql: (value: StoreValue | undefined) => SqlText;
  /** Whether that form needs no quotes among the items of an array. */
  readonly isBare: boolean;
  /** The value that the database's text form tells. */
  readonly fromSql: (text: string) => StoreValue;
  /** A value as JSON of a statement: numbers that JSON could not hold are texts. */
  readonly jsonSql: (sql: SqlFragment) => SqlFragment;
  /** What `jsonSql` has given, as queries answer it. */
  readonly answered: (json: unknown) => unknown;
  /** As JSON for the receivers of webhooks, from the database's text form. */
  readonly sent: (text: string) => unknown;
  /** As people read it, and as ids are written, from the database's text form. */
  readonly shown: (text: string) => string;
  /** The beginning of values, where indexes hold no more of them. */
  readonly prefix?: IndexedPrefix;
}

/** The beginning of long values: they do not fit into an index as a whole. */
export interface IndexedPrefix {
  sql(sql: SqlFragment): SqlFragment;
  /** Whether a value is shorter than its prefix can be. @param text the database's form */
  isShort(text: string): boolean;
}

/** The codec of single values. */
export interface ScalarCodec extends FieldCodec {
  readonly sqlType: SqlFragment;
  readonly json: JsonSql;
  /** The database's text form of what `shown` has given. */
  readonly stored: (shown: string) => string;
}

type ValueOf<Kind extends ValueKind> = Extract<StoreValue, { readonly kind: Kind }>;

/** What is to be said of a kind. Where nothing is said of a text, it stays as it is. */
interface Scalar<Kind extends ValueKind>
  extends Pick<ScalarCodec, "sqlType" | "prefix">,
    Partial<Pick<ScalarCodec, "isBare" | "json" | "sent" | "shown" | "stored">> {
  write(value: ValueOf<Kind>): string;
  read(text: string): ValueOf<Kind>;
  readonly answered?: (text: string) => string;
}

/** How statements make JSON of values, and of lists of them. */
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

/** One entry for each kind of value: all that tables, their writers and their readers know of the kind. */
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
    // The form of bytes has two digits for each, and two signs before them.
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
    // As a cast to text writes it, too.
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

/** The codec of values that indexes hold as a whole: ids, references and enums. */
export function wholeCodec({ prefix, ...codec }: ScalarCodec): FieldCodec {
  return codec;
}
