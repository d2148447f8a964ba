import { timestampText } from "../../../store/database/timestamps.js";
import type { EntityColumn, EntityTable, Layout } from "../../../store/tables/layout.js";
import type { RowFilter } from "../../../store/tables/row-filter.js";
import type { AskedFilter, BrowseState } from "./browse-state.js";

/** The comparisons that a page offers, in words. */
export const comparisons = {
  is: "is",
  not: "is not",
  contains: "contains",
  starts: "starts with",
  gt: "is greater than",
  ge: "is at least",
  lt: "is less than",
  le: "is at most",
  missing: "has no value",
  present: "has a value",
} as const satisfies Readonly<Record<RowFilter["by"], string>>;

type By = keyof typeof comparisons;

/** The filters and the order that a state asks for, or why it cannot have them. */
export interface ReadFilters {
  readonly filters: readonly RowFilter[];
  /** Sentences for people. */
  readonly mistakes: readonly string[];
}

/** Reads the filters of a state for a table. Values become parameters of statements and are checked before. */
export function readFilters(
  { filters }: Pick<BrowseState, "filters">,
  table: Pick<EntityTable, "columns">,
  layout: Pick<Layout, "enums">,
): ReadFilters {
  const read = filters.map((asked) => readFilter(asked, table, layout));
  return {
    filters: read.flatMap((one) => (typeof one === "string" ? [] : [one])),
    mistakes: read.filter((one) => typeof one === "string"),
  };
}

function readFilter(
  { field, by, value }: AskedFilter,
  { columns }: Pick<EntityTable, "columns">,
  layout: Pick<Layout, "enums">,
): RowFilter | string {
  const column = columns.find((one) => one.field === field);
  if (!column) return `There is no field ${field}.`;
  if (!isComparison(by)) return `Choose how to compare ${field}.`;
  if (by === "missing" || by === "present") return { column, by };
  if (!comparisonsOf(column).includes(by))
    return `The comparison "${comparisons[by]}" does not work for ${field}.`;
  const stored = storedValue(column, value.trim(), layout);
  return stored === undefined
    ? `"${value}" is not a valid value for ${field}. Enter ${formOf(column, layout)}.`
    : { column, by, value: stored };
}

function isComparison(by: string): by is By {
  return Object.hasOwn(comparisons, by);
}

/** The comparisons that a column has. */
export function comparisonsOf({ scalar, kind, list }: EntityColumn): readonly By[] {
  if (list) return ["contains", "missing", "present"];
  const all: By[] = ["is", "not", "missing", "present"];
  if (kind === "enum" || scalar === "Boolean") return all;
  if (scalar === "Bytes") return ["starts", ...all];
  if (scalar === "String" || scalar === "ID") return ["contains", "starts", ...all];
  return ["gt", "ge", "lt", "le", ...all];
}

const largest = { Int: 2n ** 31n, Int8: 2n ** 63n } as const;

/** A value in the database's text form; `undefined` if it does not fit the column's type. */
export function storedValue(
  { scalar, kind }: EntityColumn,
  text: string,
  { enums }: Pick<Layout, "enums">,
): string | undefined {
  if (kind === "enum") return enums.get(scalar)?.labels.find((label) => label === text);
  switch (scalar) {
    case "Bytes":
      return /^(0x)?([\da-f]{2})*$/i.test(text) ? `\\x${text.replace(/^0x/i, "")}` : undefined;
    case "Boolean":
      return /^(true|false)$/.test(text) ? text : undefined;
    case "Int":
    case "Int8": {
      if (!/^-?\d{1,19}$/.test(text)) return undefined;
      const [value, limit] = [BigInt(text), largest[scalar]];
      return value >= -limit && value < limit ? text : undefined;
    }
    case "BigInt":
      return /^-?\d{1,200}$/.test(text) ? text : undefined;
    case "BigDecimal":
      return /^-?\d{1,200}(\.\d{1,200})?$/.test(text) ? text : undefined;
    case "Timestamp":
      return storedTime(text);
    default:
      return text;
  }
}

/** Microseconds since 1970, as queries have them, or a date, with or without a time in UTC. */
function storedTime(text: string): string | undefined {
  if (/^\d{1,17}$/.test(text)) return timestampText(BigInt(text));
  const [, date, time = "00:00:00"] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?)?$/.exec(text) ?? [];
  const milliseconds = date === undefined ? Number.NaN : Date.parse(`${date}T${time}Z`);
  return Number.isNaN(milliseconds) ? undefined : timestampText(BigInt(milliseconds) * 1000n);
}

function formOf({ scalar, kind }: EntityColumn, { enums }: Pick<Layout, "enums">): string {
  if (kind === "enum") return `one of ${enums.get(scalar)?.labels.join(", ") ?? scalar}`;
  const forms: Readonly<Record<string, string>> = {
    Bytes: "an even number of hexadecimal digits, such as 0x1a2b",
    Boolean: "true or false",
    Int: "a 32-bit whole number",
    Int8: "a 64-bit whole number",
    BigInt: "a whole number",
    BigDecimal: "a number, such as 1.5",
    Timestamp: "a time, such as 2026-01-31 12:00, or microseconds since 1970",
  };
  return forms[scalar] ?? "text";
}
