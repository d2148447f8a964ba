import { decodingFunctions } from "./decoding.js";
import { integerFunctions } from "./integers.js";
import { type AddedFunction, ownWords, type SqlFunction, type SqlMacro } from "./sql-function.js";
import { xxh3 } from "./xxh3.js";

/** Functions on texts and times that other engines have and DuckDB has not. */
const textFunctions: readonly SqlFunction[] = [
  {
    name: "split_index",
    parameters: ["text", "text", "integer"],
    result: "text",
    compute: ([text, separator, index]) => partOf(text as string, separator as string, index as bigint),
  },
  {
    name: "from_unixtime",
    parameters: ["integer"],
    result: "text",
    compute: ([seconds]) => timeText(seconds as bigint),
  },
  {
    name: "xxhash",
    parameters: ["text"],
    result: "text",
    compute: ([text]) => xxh3(text as string),
  },
];

const own: readonly SqlFunction[] = [...decodingFunctions, ...integerFunctions, ...textFunctions];

/** Functions of other engines that DuckDB has under other names, or as expressions. */
const macros: readonly SqlMacro[] = [
  {
    name: "to_timestamp_ltz",
    forms: [
      "(value, digits) as case digits when 0 then make_timestamp(value::varchar::bigint * 1000000)" +
        " when 3 then make_timestamp(value::varchar::bigint * 1000)" +
        ` else error('${ownWords}the precision of to_timestamp_ltz is 0, for seconds, or 3, for milliseconds') end`,
    ],
  },
  {
    name: "split_string_by",
    forms: ["(value) as string_split(value, ' ')", "(value, separator) as string_split(value, separator)"],
  },
  {
    // Under its own name, DuckDB has it.
    name: "generate_series",
    forms: [
      "(first, last) as generate_series(first, last)",
      "(first, last, step) as generate_series(first, last, step)",
    ],
  },
  {
    name: "array_enumerate",
    forms: [
      "(list) as list_transform(list, lambda value, position: {'index': position - 1, 'value': value})",
    ],
  },
  { name: "zip_arrays", forms: ["(one, other) as list_zip(one, other)"] },
  {
    name: "array_filter",
    forms: ["(list, field, wanted) as list_filter(list, lambda item: struct_extract(item, field) = wanted)"],
  },
  {
    name: "array_filter_first",
    forms: [
      "(list, field, wanted) as list_filter(list, lambda item: struct_extract(item, field) = wanted)[1]",
    ],
  },
  {
    name: "array_filter_in",
    forms: [
      "(list, field, wanted) as list_filter(list, lambda item: list_contains(wanted, struct_extract(item, field)))",
    ],
  },
  { name: "is_json", forms: ["(value) as json_valid(value)"] },
  { name: "parse_json", forms: ["(value) as value::json"] },
  { name: "try_parse_json", forms: ["(value) as try_cast(value as json)"] },
  { name: "json_query", forms: ["(value, path) as json_extract(value, path)"] },
  { name: "json_string", forms: ["(value) as to_json(value)::varchar"] },
];

/** Older names of functions. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["log_decode", "evm_log_decode"],
  ["tx_decode", "evm_tx_decode"],
]);

/**
 * Our function with a name that the SQL engine lacks; `undefined` if there is none. A service's own prefix, as in
 * `_ab_log_decode`, makes no difference.
 * @param name in lower case
 */
export function functionNamed(name: string): AddedFunction | undefined {
  const bare = name.replace(/^_[a-z]{2}_/, "");
  const found = [...own, ...macros].find((one) => one.name === (aliases.get(bare) ?? bare));
  return found && { ...found, name };
}

/** The functions under their own names. */
export const sqlFunctions = own;

/** A part of a text, counted from 0; null if there is none. Without a separator, white space separates. */
function partOf(text: string, separator: string, index: bigint): string | null {
  if (index < 0n || index > BigInt(text.length)) return null;
  return text.split(separator === "" ? /\s/ : separator)[Number(index)] ?? null;
}

/** A time in UTC, as `2026-01-31 12:00:00`; null beyond the year 9999. @param seconds since 1970 */
function timeText(seconds: bigint): string | null {
  const [least, most] = [-62_135_596_800n, 253_402_300_799n];
  if (seconds < least || seconds > most) return null;
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ");
}
