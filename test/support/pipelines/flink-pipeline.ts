import type { SinkDefinition } from "../../../src/pipelines/definition/definition.js";
import type {
  PipelinePlan,
  PlannedSink,
  PlannedSource,
  PlannedTransform,
} from "../../../src/pipelines/plan/pipeline-plan.js";
import type { Source, SourceBatch } from "../../../src/pipelines/sources/source.js";
import { checkQuery } from "../../../src/pipelines/sql/check-query.js";
import { openEngine, text } from "./law-pipeline.js";
import { feedColumns } from "./played-feed.js";
import { playedColumns } from "./played-source.js";

/** A query of a test's flow. */
export interface FlinkQuery {
  readonly name: string;
  readonly sql: string;
  readonly key: readonly string[];
}

/** A sink of a test's flow, in PostgreSQL. */
export interface FlinkTable {
  readonly from: string;
  readonly table: string;
  readonly batchSize?: number;
}

/** A flow from the played sources `played` and `things`, through queries, into tables. */
export async function flinkPipeline(
  name: string,
  {
    queries,
    tables,
    job,
  }: {
    readonly queries: readonly FlinkQuery[];
    readonly tables: readonly FlinkTable[];
    readonly job: boolean;
  },
): Promise<PipelinePlan> {
  const engine = await openEngine();
  try {
    await engine.createTable("played", playedColumns);
    await engine.createTable("things", feedColumns);
    const functions = await engine.functions();
    const transforms: PlannedTransform[] = [];
    for (const { name: query, sql, key } of queries) {
      const parsed = await engine.parse(sql);
      if (parsed.kind === "fault") throw new Error(parsed.message);
      const { reads, faults } = checkQuery(parsed.tree, functions);
      transforms.push({
        name: query,
        definition: { type: "sql", name: text(query), settings: { sql: text(sql) } },
        reads: [...new Set(reads.map((read) => read.name))],
        schema: { columns: await engine.createView(query, sql), key },
        query: { functions: [], isOrdered: false, stateful: faults[0]?.message, tree: parsed.tree },
      });
    }
    const read = new Set(transforms.flatMap(({ reads }) => reads));
    return {
      name,
      job,
      sources: [source("played", playedColumns), source("things", feedColumns)].filter((one) =>
        read.has(one.name),
      ),
      transforms,
      sinks: tables.map((table) => sinkOf(table, transforms)),
      operations: [],
      functions: [],
    };
  } finally {
    engine.close();
  }
}

function source(name: string, columns: PlannedSource["schema"]["columns"]): PlannedSource {
  return {
    name,
    definition: { type: "dataset", name: text(name), settings: {} },
    schema: { columns, key: ["id"] },
  };
}

function sinkOf(
  { from, table, batchSize }: FlinkTable,
  transforms: readonly PlannedTransform[],
): PlannedSink {
  const node = transforms.find(({ name }) => name === from);
  if (!node) throw new Error(`there is no query ${from}`);
  const definition: SinkDefinition = {
    type: "postgres",
    name: text(`sink ${from}`),
    settings: {
      from: text(from),
      table: text(table),
      secret_name: text("DB"),
      batch_flush_interval: { value: 100, at: text(from).at },
      ...(batchSize !== undefined && { batch_size: { value: batchSize, at: text(from).at } }),
    },
  };
  return { name: `sink ${from}`, definition, from, schema: node.schema };
}

/** A source that goes on when the one that it is made of has ended, as a chain does, until the signal is aborted. */
export function liveSource(source: Source, signal: AbortSignal): Source {
  return {
    async *batches(position): AsyncGenerator<SourceBatch> {
      let last = position;
      while (!signal.aborted) {
        for await (const batch of source.batches(last)) {
          last = batch.position;
          yield batch;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}
