import { suggest } from "../../base/text/suggest.js";

/** What to write for functions and operators that PostgreSQL, Flink, Spark, BigQuery and others have and DuckDB has not. */
const instead: Readonly<Record<string, string>> = {
  "~*": "regexp_matches(text, pattern, 'i')",
  "!~*": "NOT regexp_matches(text, pattern, 'i')",
  "@>": "list_has_all(list, other), or json_contains(json, part)",
  "@?": "json_exists(json, '$.path')",
  arrayjoin: "unnest(list)",
  array_append: "list_append(list, value)",
  array_remove: "list_filter(list, lambda x: x <> value)",
  bit_length: "8 * strlen(text)",
  btrim: "trim(text, characters)",
  charindex: "strpos(text, part)",
  conv: "to_u256('0x' || hex) for hex, or hex(number)",
  convert: "CAST(value AS type)",
  convert_from: "decode(bytes)",
  convert_to: "encode(text)",
  date_bin: "time_bucket(INTERVAL '15 minutes', time)",
  date_format: "strftime(time, '%Y-%m-%d %H:%M:%S')",
  dateadd: "time + INTERVAL '1 day'",
  decode: "unhex(hex) for hex, from_base64(text) for base64, or CASE for values",
  encode: "hex(bytes), or base64(bytes)",
  explode: "unnest(list)",
  find_in_set: "list_position(string_split(text, ','), part)",
  format_timestamp: "strftime(time, '%Y-%m-%d %H:%M:%S')",
  from_unixtime: "strftime(to_timestamp(seconds), '%Y-%m-%d')",
  get_json_object: "json_extract_string(json, '$.path')",
  iff: "if(condition, value, other)",
  initcap:
    "array_to_string(list_transform(string_split(text, ' '), lambda word: upper(left(word, 1)) || lower(substr(word, 2))), ' ')",
  json_array_elements: "unnest(json_extract(json, '$[*]'))",
  json_build_array: "json_array(value, …)",
  json_build_object: "json_object('name', value, …)",
  json_each_text: "json_each(json)",
  jsonb_array_elements: "unnest(json_extract(json, '$[*]'))",
  jsonb_array_elements_text: "unnest(json_extract_string(json, '$[*]'))",
  jsonb_array_length: "json_array_length(json)",
  jsonb_build_object: "json_object('name', value, …)",
  jsonb_each: "json_each(json)",
  jsonb_each_text: "json_each(json)",
  jsonb_extract_path: "json_extract(json, '$.path')",
  jsonb_extract_path_text: "json_extract_string(json, '$.path')",
  json_array_elements_text: "unnest(json_extract_string(json, '$[*]'))",
  jsonb_object_keys: "unnest(json_keys(json))",
  json_object_keys: "unnest(json_keys(json))",
  jsonb_typeof: "json_type(json)",
  json_typeof: "json_type(json)",
  json_extract_scalar: "json_extract_string(json, '$.path')",
  json_extract_path_text: "json_extract_string(json, '$.path')",
  lag: "OVER (…) after it",
  lead: "OVER (…) after it",
  locate: "strpos(text, part)",
  num_nonnulls: "(a IS NOT NULL)::INT + (b IS NOT NULL)::INT",
  nvl: "coalesce(value, other)",
  nvl2: "CASE WHEN value IS NULL THEN other ELSE one END",
  octet_length: "strlen(text)",
  overlay: "left(text, 1) || other || substr(text, 4)",
  parse_timestamp: "strptime(text, '%Y-%m-%d %H:%M:%S')",
  proctime: "block_timestamp, the time of the row's block",
  quote_ident: "'\"' || text || '\"'",
  quote_literal: "'''' || replace(text, '''', '''''') || ''''",
  regexp: "regexp_matches(text, pattern)",
  regexp_count: "len(regexp_extract_all(text, pattern))",
  regexp_match: "regexp_extract(text, pattern, group)",
  regexp_like: "regexp_matches(text, pattern)",
  regexp_split_to_table: "unnest(regexp_split_to_array(text, pattern))",
  regexp_substr: "regexp_extract(text, pattern)",
  rank: "OVER (…) after it",
  row_number: "OVER (…) after it",
  rlike: "regexp_matches(text, pattern)",
  safe_divide: "a / nullif(b, 0)",
  str_to_date: "strptime(text, '%Y-%m-%d')",
  string_to_table: "unnest(string_split(text, separator))",
  substring_index: "split_part(text, separator, n)",
  sysdate: "the time of the row's block, such as block_timestamp",
  timestampdiff: "date_diff('day', start, end)",
  timestampadd: "time + INTERVAL '1 day'",
  datediff: "date_diff('day', start, end)",
  tostring: "CAST(value AS VARCHAR)",
  to_base64: "base64(encode(text))",
  to_char: "strftime(time, '%Y-%m-%d') for times, or format('{:,}', number::BIGINT) for numbers",
  to_date: "strptime(text, '%Y-%m-%d')::DATE",
  to_number: "CAST(text AS DECIMAL(38, s))",
  to_timestamp: "to_timestamp(seconds), or strptime(text, '%Y-%m-%d %H:%M:%S')",
  unix_timestamp: "epoch(time)::BIGINT",
};

/** What to write for a function of another dialect; `undefined` for any other name. */
export function functionHint(name: string): string | undefined {
  if (/^(?:tumble|hop|session|cumulate)/i.test(name))
    return "group by date_trunc in a job, or let Flink do it with --engine flink=<gateway>";
  const known = instead[name.toLowerCase()];
  return known === undefined ? undefined : `write ${known}`;
}

/** Words after which DuckDB stops to parse, and what to write. */
const words: Readonly<Record<string, string>> = {
  "#": "write json ->> '$.path', where PostgreSQL has #>> and #>",
  "?": "write json_exists(json, '$.name')",
  safe_cast: "write TRY_CAST(value AS type)",
  top: "filter with WHERE, or write LIMIT at the end of the query of a job",
  rank: "OVER (…) after it",
  row_number: "OVER (…) after it",
  rlike: "write regexp_matches(text, pattern)",
  regexp: "write regexp_matches(text, pattern)",
  "u&": "write the character itself, or chr(number)",
};

const keywords = [
  "SELECT",
  "FROM",
  "WHERE",
  "GROUP",
  "ORDER",
  "HAVING",
  "UNION",
  "JOIN",
  "LEFT",
  "INNER",
  "LIMIT",
  "CASE",
  "WHEN",
  "THEN",
  "ELSE",
  "END",
  "BETWEEN",
  "LIKE",
  "DISTINCT",
];
const noSelect = "write only a SELECT: a sink takes the rows of the transform that its from names";

/** What to do about a text that DuckDB cannot parse. @param offset where it stopped, in UTF-16 units */
export function syntaxHint(text: string, offset: number | undefined): string | undefined {
  const [first = ""] = /[a-z]+/i.exec(text) ?? [];
  if (/^pivot|^unpivot/i.test(first)) return "write a CASE for each column, and aggregate in a job";
  if (/^(?:insert|create|update|delete|merge|copy|set|use)$/i.test(first)) return noSelect;
  if (offset === undefined) return /\bu&'/i.test(text) ? words["u&"] : undefined;
  const [here = ""] = /^(?:\w+|\S)/.exec(text.slice(offset)) ?? [];
  const before = [...text.slice(0, offset).matchAll(/\w+/g)].map(([word]) => word).slice(-4);
  for (const word of [here, ...before.toReversed()]) {
    const known = words[word.toLowerCase()];
    if (known !== undefined) return known;
  }
  for (const word of [here, ...before.slice(-1)]) {
    const [near] = suggest(word.toUpperCase(), keywords);
    if (near !== undefined && near !== word.toUpperCase()) return `write ${near} instead of ${word}`;
  }
  return undefined;
}
