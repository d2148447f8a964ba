import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { ValueType } from "../changes/schema.js";
import type { DefinedPipeline } from "../definition/definition.js";
import type { DeclaredRows } from "../sql/create-lookups.js";
import { checkKey } from "./check-key.js";
import { sourcesBefore } from "./nodes-before.js";
import type { ReadTransform } from "./order-transforms.js";
import type { PlannedSource, PlannedTable, PlannedTransform, TableFill } from "./pipeline-plan.js";
import type { TransformPlanning } from "./plan-transform.js";

/** Types whose values can be looked up, because each has a single text form. */
const types: ReadonlySet<ValueType> = new Set(["STRING", "LONG", "DECIMAL"]);

/**
 * Plans how a dynamic table is filled; `undefined` after a reported error.
 * @param before sources and transforms that come before it
 */
export async function planTable(
  definition: PlannedTable["definition"],
  read: ReadTransform,
  before: readonly (PlannedSource | PlannedTransform)[],
  planning: TransformPlanning,
): Promise<PlannedTable | undefined> {
  const { name, settings } = definition;
  checkBackend(definition, planning.report);
  if (!settings.sql) return { name: name.value, definition };
  if (!read.reads.every((one) => before.some((node) => node.name === one))) return undefined;
  const query = await planQuery(settings.sql, definition, read, planning);
  const source = query && sourceOf(query, before, definition, planning.report);
  const key = query?.schema.key ?? [];
  return source && { name: name.value, definition, fill: { query, source }, ...(key.length > 0 && { key }) };
}

/** The dynamic tables with whose rows queries may join. Until they are planned, only their keys are known. */
export function tablesWithRows({ transforms }: DefinedPipeline): readonly DeclaredRows[] {
  return transforms.flatMap(({ type, name, settings }) => {
    if (type !== "dynamic_table" || !settings.primary_key) return [];
    const key = settings.primary_key.map(({ value }) => value);
    const columns = key.map((column) => ({ name: column, type: "STRING", nullable: true }) as const);
    return [{ name: name.value, key, columns, rows: undefined }];
  });
}

function checkBackend({ name, settings }: PlannedTable["definition"], report: Report): void {
  const { backend_type: backend, secret_name: secret, sql, primary_key: key } = settings;
  if (backend?.value === "Postgres" && key?.[0])
    report.error("table-fill", key[0].at, "a table with primary_key is kept in memory", {
      hint: "write backend_type: InMemory, or look rows up in a table of your own with lookups",
    });
  if (backend?.value === "Postgres" && !secret)
    report.error("missing-key", name.at, 'a dynamic_table in Postgres requires "secret_name"', {
      hint: "add secret_name: the name of a secret with the address of the database",
    });
  if (backend?.value === "InMemory" && !sql)
    report.error("missing-key", name.at, 'a dynamic_table in memory requires "sql"', {
      hint: "add a query that fills it, or keep the table in Postgres, where others can write it",
    });
}

async function planQuery(
  sql: LocatedString,
  { name, settings: { primary_key: wanted } }: PlannedTable["definition"],
  { reads, lookups = [], joins = [], query }: ReadTransform,
  { reader, report }: TransformPlanning,
): Promise<PlannedTransform | undefined> {
  const columns = query && (await reader.createView(name.value, query));
  if (!columns) return undefined;
  if (query.stateful !== undefined) {
    report.error("sql-not-streaming", sql.at, query.stateful, {
      hint: "fill a table with a query that streams: rows are looked up while it is filled",
    });
    return undefined;
  }
  const definition = { type: "sql", name, settings: { sql } } as const;
  const own = { name: name.value, definition, reads, lookups, joins };
  if (wanted) {
    const key = checkKey(wanted, columns, report);
    const unfit = key?.find(
      (one) => !types.has(columns.find((column) => column.name === one)?.type ?? "JSON"),
    );
    const block = columns.find((column) => column.name.toLowerCase() === "block_number");
    const isNumber = block?.type === "LONG" || block?.type === "DECIMAL";
    if (unfit !== undefined || !isNumber)
      report.error(
        "table-fill",
        sql.at,
        unfit === undefined
          ? `the query of table ${quote(name.value)} must also select block_number`
          : `the key ${quote(unfit)} of table ${quote(name.value)} is neither text nor an integer`,
        {
          hint: unfit === undefined ? "a row counts from that block on" : "cast it, or choose another column",
        },
      );
    if (!key || unfit !== undefined || !isNumber) return undefined;
    reader.declare({ name: name.value, key, columns, rows: undefined });
    return { ...own, schema: { columns, key } };
  }
  const [column] = columns;
  if (columns.length !== 1 || !column || !types.has(column.type)) {
    report.error(
      "table-fill",
      sql.at,
      `the query of table ${quote(name.value)} must give one column of texts or integers`,
      {
        hint: "choose the column with the values, or name the key in primary_key to look up whole rows",
      },
    );
    return undefined;
  }
  return { ...own, schema: { columns, key: [] } };
}

/** The source that leads to a table; `undefined` after a reported error. */
function sourceOf(
  query: TableFill["query"],
  before: readonly (PlannedSource | PlannedTransform)[],
  { settings: { backend_type: backend, sql } }: PlannedTable["definition"],
  report: Report,
): PlannedSource | undefined {
  const transforms = before.filter((node): node is PlannedTransform => "reads" in node);
  const sources = before.filter((node): node is PlannedSource => !("reads" in node));
  const [source, other] = sourcesBefore(query.name, { sources, transforms: [...transforms, query] });
  if (!source) return undefined;
  const refuse = (message: string, hint: string): undefined => {
    report.error("table-fill", sql?.at, message, { hint });
    return undefined;
  };
  if (other)
    return refuse(
      `a table is filled from one source, not from both ${quote(source.name)} and ${quote(other.name)}`,
      "fill a table from each, and look up in both",
    );
  if (source.definition.type !== "dataset")
    return refuse(
      `a table cannot be filled from ${quote(source.name)}: ${source.definition.type === "kafka" ? "messages" : "changes of entities"} have no order with rows of other sources`,
      "fill the table in PostgreSQL from outside, or from a dataset",
    );
  const start = source.definition.settings.start_at?.value ?? "latest";
  if (backend?.value === "InMemory" && start === "latest")
    return refuse(
      `every run fills a table in memory again, but ${quote(source.name)} starts somewhere else each time`,
      "write start_at: earliest or a block number, or backend_type: Postgres",
    );
  return source;
}
