import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { RowColumn } from "../changes/schema.js";
import type { DefinedLookup, LookupDefinition } from "../definition/definition.js";
import { pipelineDataset } from "../definition/pipeline-dataset.js";
import { lookupTypes } from "../definition/shapes.js";
import { isEnvelope } from "../sources/kafka/topic-columns.js";
import { nodesBefore, sourcesBefore } from "./nodes-before.js";
import type { PipelinePlan, PlannedLookup, PlannedSource, PlannedTransform } from "./pipeline-plan.js";

/** Plans a lookup; `undefined` after a reported error. A file was read before; a database is read later. */
export function planLookup(definition: DefinedLookup, report: Report): PlannedLookup | undefined {
  const { name, type, content } = definition;
  const wanted = (definition.settings.key ?? []).map(({ value }) => value.toLowerCase());
  const columns = type === "file" ? content?.columns : databaseColumns(definition, report);
  if (!columns) return undefined;
  const key = columns.flatMap((column) => (wanted.includes(column.name.toLowerCase()) ? [column.name] : []));
  return { name: name.value, definition, key, columns, rows: content?.rows };
}

type DatabaseLookup = Exclude<LookupDefinition, { readonly type: "file" }>;

/** The columns of a table: its key, and those with a type. The key is a text unless it has one, too. */
function databaseColumns({ settings }: DatabaseLookup, report: Report): readonly RowColumn[] | undefined {
  const { key = [], columns = [], secret_name: secret, table } = settings;
  if (key.length === 0 || !secret || !table) return undefined;
  const found = new Map<string, RowColumn>();
  for (const { value } of key)
    found.set(value.toLowerCase(), { name: value, type: "STRING", nullable: true });
  let isSound = true;
  for (const { name, value } of columns) {
    const type = lookupTypes[value.value];
    const isKey = key.some((one) => one.value.toLowerCase() === name.value.toLowerCase());
    const refuse = (message: string, hint: string): void => {
      isSound = false;
      report.error(type ? "lookup-table" : "wrong-value", value.at, message, { hint });
    };
    if (!type)
      refuse(
        `${quote(value.value)} is not a type of a column`,
        `use one of ${Object.keys(lookupTypes).join(", ")}`,
      );
    else if (isKey && (type === "DOUBLE" || type === "BOOLEAN"))
      refuse(
        `${quote(name.value)} cannot be a key: keys are texts or integers`,
        "choose another column, or another type",
      );
    else found.set(name.value.toLowerCase(), { name: name.value, type, nullable: true });
  }
  return isSound ? [...found.values()] : undefined;
}

/**
 * Reports where rows of a database cannot be looked up: they may change, so nothing may depend on computing a row twice.
 * The rows of blocks are kept until the blocks are final, so that they are deleted as they were written.
 */
export function checkLookups(
  { sources, transforms, tables = [] }: Pick<PipelinePlan, "sources" | "transforms" | "tables">,
  lookups: readonly PlannedLookup[],
  report: Report,
): void {
  const queries = [...transforms, ...tables.flatMap(({ fill }) => fill?.query ?? [])];
  for (const { name, definition, rows } of lookups) {
    if (rows || definition.type === "file") continue;
    const joins = queries.filter((query) => query.joins?.includes(name));
    const refuse = (message: string, hint: string): void =>
      report.error("lookup-table", definition.name.at, message, { hint });
    const depends = ({ name: of }: PlannedTransform): boolean => {
      const before = nodesBefore(of, { transforms: queries });
      return joins.some((query) => before.has(query.name));
    };
    const filled = tables.find(({ fill }) => fill && depends(fill.query));
    if (filled)
      refuse(
        `${quote(name)} may change, and ${quote(filled.name)} is filled again with every run`,
        "look up in a file, or after the dynamic table",
      );
    const whole = queries.find((query) => query.query?.stateful !== undefined && depends(query));
    if (whole)
      refuse(
        `${quote(name)} may change, and ${quote(whole.name)} is computed again if the job is interrupted`,
        "look up in a file",
      );
    const read = new Set(
      joins.flatMap((query) => sourcesBefore(query.name, { sources, transforms: queries })),
    );
    const undone = [...read].find(hasOlderRows);
    if (undone)
      refuse(
        `${quote(name)} may change, and ${quote(undone.name)} has rows from before a change, which have to be computed as they were written`,
        "look up in a file, or join the tables where the rows are read",
      );
    else if (definition.settings.valid_from) checkHistory(name, [...read], refuse);
  }
}

/** Whether a source tells what a row was before a change. */
function hasOlderRows({ definition }: PlannedSource): boolean {
  if (definition.type === "subgraph_entity") return true;
  return definition.type === "kafka" && isEnvelope(definition.settings.data_format?.value);
}

function checkHistory(
  name: string,
  sources: readonly PlannedSource[],
  refuse: (message: string, hint: string) => void,
): void {
  const topic = sources.find(({ definition }) => definition.type !== "dataset");
  const networks = new Set(sources.map(networkOf));
  if (topic)
    refuse(
      `${quote(name)} has valid_from, and rows of ${quote(topic.name)} have no block`,
      "remove valid_from",
    );
  else if (networks.size > 1)
    refuse(
      `${quote(name)} has valid_from, and its rows are looked up for blocks of several chains`,
      "write a lookup for each chain",
    );
}

/** The chain of a dataset; `undefined` for other sources, whose changes have no blocks to compare. */
export function networkOf({ definition }: PlannedSource): string | undefined {
  if (definition.type !== "dataset") return undefined;
  const { dataset_name: name, version } = definition.settings;
  return pipelineDataset(name?.value ?? "", version?.value).network;
}
