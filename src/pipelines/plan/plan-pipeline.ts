import type { Report } from "../../compiler/diagnostics/report.js";
import type { DefinedLookup, DefinedPipeline, SourceDefinition } from "../definition/definition.js";
import type { SqlEngine } from "../sql/engine.js";
import { checkTables } from "./check-tables.js";
import { orderTransforms } from "./order-transforms.js";
import type {
  PipelinePlan,
  PlannedLookup,
  PlannedSource,
  PlannedTable,
  PlannedTransform,
} from "./pipeline-plan.js";
import { planSinks } from "./plan-sink.js";
import { planSource } from "./plan-source.js";
import { planTable } from "./plan-table.js";
import { planTransform } from "./plan-transform.js";
import { planWhole } from "./plan-whole.js";
import type { PlannedSinkType } from "./planned-sink-type.js";
import { QueryReader, type ReadCondition } from "./query-reader.js";
import type { SubgraphCatalog, UnreadSubgraphs } from "./subgraph-catalog.js";

/** The outside world of planning. */
export interface PlanWorld {
  /** Opens an empty database for trying queries; called only if there is SQL. */
  openEngine(): Promise<SqlEngine>;
  /** The available types of sinks. */
  readonly sinkTypes: readonly PlannedSinkType[];
  /** The catalog for looking up entities. */
  readonly subgraphs?: SubgraphCatalog | UnreadSubgraphs;
  /** Whether queries may aggregate, join and so on, since another engine runs them. */
  readonly anySql?: boolean;
}

/**
 * Checks the parts of a definition against each other, and reports all mistakes.
 * @returns `undefined` after a reported error
 */
export async function planPipeline(
  definition: DefinedPipeline,
  world: PlanWorld,
  report: Report,
): Promise<PipelinePlan | undefined> {
  const lookups = (definition.lookups ?? []).flatMap((lookup) => plannedLookup(lookup) ?? []);
  // Without the columns of a lookup, its queries would seem to have mistakes.
  if (lookups.length < (definition.lookups ?? []).length) return undefined;
  const anySql = world.anySql || definition.job;
  const reader = new QueryReader(() => world.openEngine(), report, anySql, lookups);
  try {
    const plan = await planWith(reader, definition, world, report);
    return plan && { ...plan, lookups };
  } finally {
    reader.close();
  }
}

/** A lookup whose file was read. */
function plannedLookup(definition: DefinedLookup): PlannedLookup | undefined {
  const { name, settings, content } = definition;
  if (!content) return undefined;
  const { columns, rows } = content;
  const wanted = (settings.key ?? []).map(({ value }) => value.toLowerCase());
  const key = columns.flatMap((column) => (wanted.includes(column.name.toLowerCase()) ? [column.name] : []));
  return { name: name.value, definition, key, columns, rows };
}

async function planWith(
  reader: QueryReader,
  definition: DefinedPipeline,
  { sinkTypes, anySql = false, subgraphs = { why: "no database of subgraphs is given" } }: PlanWorld,
  report: Report,
): Promise<PipelinePlan | undefined> {
  // All queries and filters are read before the first table is created, since tables get the columns that these
  // expect.
  const conditions = new Map<SourceDefinition, ReadCondition | undefined>();
  for (const source of definition.sources)
    if (source.settings.filter) conditions.set(source, await reader.readCondition(source.settings.filter));
  const filters = new Map(
    [...conditions].map(([{ name }, condition]) => [name.value, condition?.lookups ?? []] as const),
  );
  const { transforms: order, sourceLookups } = await orderTransforms(definition, reader, filters, report);
  const sources: PlannedSource[] = [];
  const unread: string[] = [];
  for (const source of definition.sources) {
    const condition = conditions.get(source);
    const isFaulty = conditions.has(source) && !condition;
    const filter = { isFaulty, addresses: condition?.addresses };
    const lookups = sourceLookups.get(source.name.value) ?? [];
    const planned = await planSource(source, { ...filter, lookups }, reader, subgraphs, report);
    if (planned === "unread") unread.push(source.name.value);
    else if (planned) sources.push(planned);
  }
  const transforms: PlannedTransform[] = [];
  const tables: PlannedTable[] = [];
  for (const read of order) {
    if (read.definition.type === "dynamic_table") {
      const table = await planTable(read.definition, read, [...sources, ...transforms], { reader, report });
      if (table) tables.push(table);
      continue;
    }
    const planned = await planTransform(read, [...sources, ...transforms], { reader, report });
    if (planned) transforms.push(planned);
  }
  checkTables({ sources, transforms, tables }, report);
  const planned = planSinks(definition, [...sources, ...transforms], sinkTypes, report);
  const sinks = anySql ? planned : planWhole(planned, { sources, transforms, tables }, report);
  if (report.failed) return undefined;
  const { operations, functions } = reader;
  return {
    name: definition.name.value,
    job: definition.job,
    sources,
    unread,
    transforms,
    tables,
    sinks,
    operations,
    functions,
  };
}
