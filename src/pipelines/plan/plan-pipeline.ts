import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { DefinedPipeline, SourceDefinition } from "../definition/definition.js";
import type { SqlEngine } from "../sql/engine.js";
import { nodesBefore, sourcesBefore } from "./nodes-before.js";
import { orderTransforms } from "./order-transforms.js";
import type {
  PipelinePlan,
  PlannedSink,
  PlannedSource,
  PlannedTable,
  PlannedTransform,
} from "./pipeline-plan.js";
import { checkLookups, networkOf, planLookup } from "./plan-lookups.js";
import { planSinks } from "./plan-sink.js";
import { planSource } from "./plan-source.js";
import { planTable, tablesWithRows } from "./plan-table.js";
import { planTransform } from "./plan-transform.js";
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
  const lookups = (definition.lookups ?? []).flatMap((lookup) => planLookup(lookup, report) ?? []);
  // Without the columns of a lookup, its queries would seem to have mistakes.
  if (lookups.length < (definition.lookups ?? []).length) return undefined;
  const anySql = world.anySql || definition.job;
  const declared = [...lookups, ...tablesWithRows(definition)];
  const reader = new QueryReader(() => world.openEngine(), report, anySql, declared);
  try {
    const plan = await planWith(reader, definition, world, report);
    if (plan) checkLookups(plan, lookups, report);
    return plan && !report.failed ? { ...plan, lookups } : undefined;
  } finally {
    reader.close();
  }
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

/**
 * Reports lookups in tables that are filled from another chain: their content for a row would depend on how fast the
 * chains are read.
 */
function checkTables(
  { sources, transforms, tables = [] }: Pick<PipelinePlan, "sources" | "transforms" | "tables">,
  report: Report,
): void {
  const queries = [...transforms, ...tables.flatMap(({ fill }) => fill?.query ?? [])];
  for (const { name, fill } of tables) {
    if (!fill) continue;
    const chain = networkOf(fill.source);
    for (const node of [...sources, ...queries]) {
      if (!node.lookups?.includes(name)) continue;
      const other = sourcesBefore(node.name, { sources, transforms: queries }).find(
        (source) => networkOf(source) !== chain,
      );
      if (other)
        report.error(
          "table-fill",
          node.definition.name.at,
          `${quote(node.name)} looks up rows of ${quote(other.name)} in table ${quote(name)}, which is filled from another chain`,
          { hint: "fill the table from a dataset of the same chain, or in PostgreSQL from outside" },
        );
    }
  }
}

/**
 * Marks the sinks of a job that depend on a query which needs all rows at once. The rows must become complete, and
 * must not be undone: reports sources that do not end, and other nodes that cannot be computed once.
 */
function planWhole(
  sinks: readonly PlannedSink[],
  { sources, transforms, tables = [] }: Pick<PipelinePlan, "sources" | "transforms" | "tables">,
  report: Report,
): readonly PlannedSink[] {
  const filled = new Set(tables.flatMap(({ name, fill }) => (fill ? [name] : [])));
  const reported = new Set<string>();
  return sinks.map((sink) => {
    const before = nodesBefore(sink.from, { transforms });
    const stateful = transforms.find(({ name, query }) => before.has(name) && query?.stateful !== undefined);
    if (!stateful) return sink;
    const refuse = (message: string, hint: string): void => {
      if (!reported.has(stateful.name + message))
        report.error("sql-not-streaming", stateful.definition.name.at, message, { hint });
      reported.add(stateful.name + message);
    };
    const why = stateful.query?.stateful ?? "";
    const endless = sources.find((source) => before.has(source.name) && !ends(source));
    if (endless?.definition.type === "kafka")
      refuse(
        `${why}, and a topic has no order of all its messages`,
        "write the messages to a table, and aggregate there",
      );
    else if (endless)
      refuse(`${why}, and source ${quote(endless.name)} has no last block`, "write end_block in the source");
    const looking = [...sources, ...transforms].find(
      ({ name, lookups = [] }) => before.has(name) && lookups.some((table) => filled.has(table)),
    );
    if (looking)
      refuse(
        `${why}, so ${quote(looking.name)} cannot look up in a table that is filled meanwhile`,
        "join with the rows instead",
      );
    return { ...sink, isWhole: true };
  });
}

/** Whether a source has a last block. Entities have no last change. */
function ends({ definition }: PlannedSource): boolean {
  return definition.type === "dataset" && definition.settings.end_block !== undefined;
}
