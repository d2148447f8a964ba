import type { RowValue } from "../../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../../src/pipelines/changes/schema.js";
import type { PipelinePlan, PlannedSink } from "../../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../../src/pipelines/runner/program.js";
import { runSink } from "../../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../../src/pipelines/sinks/sink.js";
import type { SqlEngine } from "../../../../src/pipelines/sql/engine.js";
import type { SinkBatch, WrittenPosition } from "../../../../src/pipelines/state/sink-batch.js";
import { transfersOf } from "../../../support/pipelines/filled-pipeline.js";
import { onlySql, openEngine } from "../../../support/pipelines/law-pipeline.js";
import { plannedWith } from "../../../support/pipelines/planned-pipeline.js";
import { PlayedChain } from "../../../support/pipelines/played-source.js";
import { randomOf } from "../../../support/pipelines/random.js";
import { objectsOf } from "../../../support/pipelines/row-objects.js";
import { transferOf } from "./rows.js";

type RowObject = Readonly<Record<string, RowValue>>;

/** What became of a statement: the rows in the sink, or why it is refused. */
export type Outcome =
  | { readonly kind: "rows"; readonly columns: readonly RowColumn[]; readonly rows: readonly RowObject[] }
  | { readonly kind: "refused"; readonly message: string; readonly hint: string };

const finality = 2;

/** A chain that grows, and loses its last blocks twice. @returns what to do one after the other */
function growing(): { readonly chain: PlayedChain; readonly steps: readonly (() => void)[] } {
  const chain = new PlayedChain(randomOf(5), finality);
  const grow = (blocks: number) => () => {
    for (let count = 0; count < blocks; count += 1) chain.mine();
  };
  return { chain, steps: [grow(10), () => chain.reorganise(2), grow(1)] };
}

const made = (row: Readonly<Record<string, unknown>>): RowObject =>
  transferOf(String(row.id), Number(row.block_number));

/** All transfers of the chain as it is in the end. */
export function allTransfers(): readonly RowObject[] {
  const { chain, steps } = growing();
  for (const step of steps) step();
  return chain.rows.map(made);
}

/** An engine for many pipelines. Each pipeline has transforms of its own names, and all read the same table. */
export async function sharedEngine(): Promise<{
  readonly open: () => Promise<SqlEngine>;
  readonly close: () => void;
}> {
  const engine = await openEngine();
  const known = await engine.functions();
  const made = new Set<string>();
  const once = async (name: string, make: () => Promise<void>): Promise<void> => {
    if (!made.has(name)) await make();
    made.add(name);
  };
  const shared: Partial<SqlEngine> = {
    functions: async () => known,
    define: (added) => once(`${added.name}()`, () => engine.define(added)),
    createTable: (name, columns, extras) => once(name, () => engine.createTable(name, columns, extras)),
    close: () => undefined,
  };
  const proxy = new Proxy(engine, {
    get: (target, name: keyof SqlEngine) => {
      const own = shared[name] ?? target[name];
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
  return { open: async () => proxy, close: () => engine.close() };
}

/** Runs a statement as the transform of a pipeline, block by block, into a sink that keeps rows by their key. */
export async function runStatement(
  sql: string,
  name: string,
  open: () => Promise<SqlEngine>,
): Promise<Outcome> {
  const { plan, diagnostics } = await plannedWith(
    `
name: x
sources: { transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: earliest } }
transforms: { ${name}: { sql: ${JSON.stringify(sql)}, primary_key: id } }
sinks: { out: { type: print, from: ${name} } }`,
    open,
  );
  if (!plan) {
    const [first] = diagnostics.filter(({ severity }) => severity === "error");
    return { kind: "refused", message: first?.message ?? "", hint: first?.hint ?? "" };
  }
  const sink = plan.sinks[0] as PlannedSink;
  return { kind: "rows", columns: sink.schema.columns, rows: await rowsIn(plan, sink, open) };
}

async function rowsIn(
  plan: PipelinePlan,
  planned: PlannedSink,
  open: () => Promise<SqlEngine>,
): Promise<readonly RowObject[]> {
  const { chain, steps } = growing();
  const held = new Map<string, RowObject>();
  let kept: WrittenPosition | undefined;
  const write = async ({ changes, position }: SinkBatch): Promise<void> => {
    for (const [index, row] of objectsOf(changes.schema.columns, changes.rows).entries())
      if (changes.operations[index] === "d") held.delete(String(row.id));
      else held.set(String(row.id), row);
    kept = position;
  };
  const columns = plan.sources[0]?.schema.columns ?? [];
  const program = await openProgram(plan, planned, { ...onlySql, openEngine: open });
  try {
    for (const step of steps) {
      step();
      const sink: Sink = {
        positions: new Map(kept ? [["transfers", kept]] : []),
        write,
        close: async () => undefined,
      };
      await runSink(planned, sink, program, () => transfersOf(chain, columns, 4, made), {
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
    }
  } finally {
    await program.close();
  }
  return [...held.values()];
}
