import type { Report } from "../../compiler/diagnostics/report.js";
import type { RowColumn } from "../changes/schema.js";
import type { TransformDefinition } from "../definition/definition.js";
import { compileScript } from "../script/compile-script.js";
import { checkHttp } from "./check-http.js";
import { checkKey, findColumn } from "./check-key.js";
import { overriddenColumns, scriptColumns } from "./computed-columns.js";
import type { ReadTransform } from "./order-transforms.js";
import type { PlannedSource, PlannedTransform } from "./pipeline-plan.js";
import type { QueryReader } from "./query-reader.js";

type ScriptSettings = Extract<TransformDefinition, { readonly type: "script" }>["settings"];

/** The parameters of planning a transform. */
export interface TransformPlanning {
  readonly reader: QueryReader;
  readonly report: Report;
}

/**
 * Determines the columns of a transform; `undefined` after a reported error in it or in a node that it reads.
 * @param before sources and transforms that come before it
 */
export async function planTransform(
  read: ReadTransform,
  before: readonly (PlannedSource | PlannedTransform)[],
  planning: TransformPlanning,
): Promise<PlannedTransform | undefined> {
  const { definition, reads, lookups = [], joins = [], query } = read;
  if (!reads.every((name) => before.some((node) => node.name === name))) return undefined;
  if (definition.type !== "sql") return planComputed(read, before, planning);
  const name = definition.name.value;
  const columns = query && (await planning.reader.createView(name, query));
  if (!columns) return undefined;
  const key = checkKey(definition.settings.primary_key ?? [], columns, planning.report);
  const { functions, stateful, isOrdered, tree } = query;
  return (
    key && {
      name,
      definition,
      reads,
      lookups,
      joins,
      schema: { columns, key },
      query: { functions, stateful, isOrdered, tree },
    }
  );
}

/** A transform whose rows are computed outside of SQL. Queries read them from a table with its name. */
async function planComputed(
  { definition, reads }: ReadTransform,
  before: readonly (PlannedSource | PlannedTransform)[],
  { reader, report }: TransformPlanning,
): Promise<PlannedTransform | undefined> {
  const input = before.find((node) => node.name === reads[0])?.schema.columns ?? [];
  const isSound = definition.type !== "script" || (await checkScript(definition.settings, report));
  const columns = columnsOf(definition, input, report);
  if (!columns || !isSound) return undefined;
  const name = definition.name.value;
  const written = "primary_key" in definition.settings ? definition.settings.primary_key : undefined;
  const key = checkKey(written ?? [], columns, report);
  if (!key || !(await reader.createTable(name, columns))) return undefined;
  return { name, definition, reads, input, schema: { columns, key } };
}

/** Whether a script can be run; its mistakes are reported. */
async function checkScript({ script, language }: ScriptSettings, report: Report): Promise<boolean> {
  if (!script) return false;
  const written = language?.value === "javascript" ? "javascript" : "typescript";
  const { faults } = await compileScript(script.value, written);
  for (const { code, message, hint, start, end } of faults)
    report.error(code, end > start ? script.part(start, end) : script.at, message, {
      ...(hint !== undefined && { hint }),
    });
  return faults.length === 0;
}

/** The columns that a transform computes from others; `undefined` after a reported error. */
function columnsOf(
  { type, settings }: TransformDefinition,
  input: readonly RowColumn[],
  report: Report,
): readonly RowColumn[] | undefined {
  if (type === "script") return scriptColumns(settings.schema ?? [], report);
  if (type !== "handler") return undefined;
  checkHttp(settings, report);
  const sent = (settings.payload_columns ?? []).map((name) => findColumn(name, input, report));
  if (sent.includes(undefined)) return undefined;
  return overriddenColumns(input, settings.schema_override ?? [], report);
}
