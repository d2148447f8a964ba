import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { RowColumn, RowSchema, ValueType } from "../changes/schema.js";
import type { SourceDefinition } from "../definition/definition.js";
import { isEnvelope, messageColumns, messageSchema } from "../sources/kafka/topic-columns.js";
import { checkHttp } from "./check-http.js";
import { checkKey } from "./check-key.js";
import { isUnique } from "./computed-columns.js";

type TopicDefinition = Extract<SourceDefinition, { readonly type: "kafka" }>;

/** The types of columns, by the names that datasets show for them. */
const types: Readonly<Record<ValueType, true>> = {
  STRING: true,
  LONG: true,
  DOUBLE: true,
  DECIMAL: true,
  NUMERIC: true,
  BOOLEAN: true,
  TIMESTAMP: true,
  JSON: true,
  "ARRAY<STRING>": true,
};
const typeNames = Object.keys(types);

/** The columns and the key of a topic's rows; `undefined` after a reported error. */
export function planTopic({ settings }: TopicDefinition, report: Report): RowSchema | undefined {
  // That it is missing was reported. What its queries say about columns would only repeat it.
  if (!settings.schema) return undefined;
  const { schema, start_at: start, starting_offsets } = settings;
  if (start && starting_offsets)
    report.error("wrong-value", starting_offsets.at, "starting_offsets is the same as start_at", {
      hint: "remove one of them",
    });
  const { on_error: onError } = settings;
  if (onError?.value === "park" && isKeyed(settings))
    report.error("wrong-value", onError.at, "a message that changes a row by its key cannot be kept aside", {
      hint: "use stop or skip: a later message of the key would be written before it",
    });
  if (settings.schema_registry_url) checkHttp({ url: settings.schema_registry_url }, report);
  const columns = schema.flatMap(({ name, value }): RowColumn[] => {
    const type = value.value.trim().toUpperCase();
    if (Object.hasOwn(types, type)) return [{ name: name.value, type: type as ValueType, nullable: true }];
    const [near] = suggest(type, typeNames);
    report.error("wrong-value", value.at, `${quote(value.value)} is not a type of a column`, {
      hint: near === undefined ? `use one of ${typeNames.join(", ")}` : `write ${near}`,
    });
    return [];
  });
  const isSound = isUnique(schema, report) && columns.length === schema.length;
  if (isKeyed(settings)) return isSound ? keyedSchema(settings, columns, report) : undefined;
  const taken = schema.find(({ name }) =>
    messageColumns.some((column) => column.name === name.value.toLowerCase()),
  );
  if (taken)
    report.error(
      "duplicate-key",
      taken.name.at,
      `each message has a column ${quote(taken.name.value)} already`,
      {
        hint: "leave it out here",
      },
    );
  return isSound && !taken ? messageSchema(columns) : undefined;
}

/** Whether a message replaces the one before it that has the same key. */
export function replacesRows({ settings }: TopicDefinition): boolean {
  return isKeyed(settings) && !isEnvelope(settings.data_format?.value);
}

/** Whether messages change rows by their key. Otherwise each is a row of its own. */
function isKeyed({ primary_key: key = [], data_format: format }: TopicDefinition["settings"]): boolean {
  return key.length > 0 || isEnvelope(format?.value);
}

/** Rows that later messages change, by their key. */
function keyedSchema(
  { primary_key: written = [], data_format: format }: TopicDefinition["settings"],
  columns: readonly RowColumn[],
  report: Report,
): RowSchema | undefined {
  if (written.length === 0) {
    report.error("missing-key", format?.at, 'a topic with envelopes of Debezium requires "primary_key"', {
      hint: "add primary_key: the columns that identify a row",
    });
    return undefined;
  }
  const key = checkKey(written, columns, report);
  if (!key) return undefined;
  return {
    columns: columns.map((column) => (key.includes(column.name) ? { ...column, nullable: false } : column)),
    key,
  };
}
