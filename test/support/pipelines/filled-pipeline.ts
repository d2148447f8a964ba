import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { PipelineTables } from "../../../src/pipelines/runner/pipeline-tables.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { Source, SourceBatch } from "../../../src/pipelines/sources/source.js";
import type { SinkBatch, WrittenPosition } from "../../../src/pipelines/state/sink-batch.js";
import type { TableOwner, TableStore } from "../../../src/pipelines/transforms/dynamic-table/table-store.js";
import { onlySql } from "./law-pipeline.js";
import { soundPipeline } from "./planned-pipeline.js";
import { type PlayedChain, playedSource } from "./played-source.js";
import { objectsOf, rowsOf } from "./row-objects.js";

/** Senders of large transfers are put into a table, and all their transfers since then are taken. */
export function filledPipeline(
  backend = "backend_type: InMemory",
  sink = "type: print",
): Promise<PipelinePlan> {
  return soundPipeline(`
name: filled
sources: { transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: earliest } }
transforms:
  marks: { sql: "SELECT id, sender || (amount % 6)::VARCHAR AS mark, amount FROM transfers", primary_key: id }
  rich: { type: dynamic_table, ${backend}, backend_entity_name: rich, sql: "SELECT mark FROM marks WHERE amount BETWEEN 800 AND 1000" }
  taken: { sql: "SELECT id, mark FROM marks WHERE dynamic_table_check('rich', mark)", primary_key: id }
sinks: { out: { ${sink}, from: taken } }`);
}

/** The ids of the rows that should be taken of a chain, computed here. */
export function takenOf(chain: PlayedChain): readonly string[] {
  const since = new Map<string, number>();
  const rows = chain.rows.flatMap((row) => {
    if (row.amount === null) return [];
    const amount = BigInt(String(row.amount));
    const block = Number(row.block_number);
    return [{ id: String(row.id), mark: `${String(row.who)}${amount % 6n}`, amount, block }];
  });
  for (const { mark, amount, block } of rows)
    if (amount >= 800n && amount <= 1000n && !since.has(mark)) since.set(mark, block);
  return rows
    .filter(({ mark, block }) => (since.get(mark) ?? Number.POSITIVE_INFINITY) <= block)
    .map(({ id }) => id)
    .sort();
}

/**
 * A played chain as transfers. Final blocks come up to `stride` at once.
 * @param make makes a transfer of a row of the chain
 */
export function transfersOf(
  chain: PlayedChain,
  columns: readonly RowColumn[],
  stride: number,
  make: (row: Readonly<Record<string, unknown>>) => Readonly<Record<string, RowValue>> = transfer,
): Source {
  return {
    async *batches(position) {
      const none = rowsOf(columns, []);
      let next = position?.next ?? 0;
      const settled = chain.blocks.length - chain.finality;
      while ((position?.open.length ?? 0) === 0 && next < settled) {
        const to = Math.min(next + stride, settled) - 1;
        const rows = chain.rows.filter(
          ({ block_number: block }) => Number(block) >= next && Number(block) <= to,
        );
        yield {
          from: next,
          to,
          isUndone: false,
          position: { next: to + 1, open: [] },
          delta: { minus: none, plus: rowsOf(columns, rows.map(make)) },
        };
        next = to + 1;
      }
      const from = position && next === position.next ? position : { next, open: [] };
      for await (const batch of playedSource(chain).batches(from)) {
        const rows = chain.rows.filter(({ block_number: block }) => Number(block) === batch.from);
        const plus = batch.isUndone ? none : rowsOf(columns, rows.map(make));
        yield { ...batch, delta: { minus: none, plus } } satisfies SourceBatch;
      }
    },
  };
}

function transfer({ id, who, amount, block_number: block }: Readonly<Record<string, unknown>>) {
  return {
    id: String(id),
    sender: String(who),
    amount: amount as string | null,
    block_number: block as bigint,
  };
}

/** A sink that holds ids, and keeps its position over restarts. */
export class HeldIds {
  readonly held = new Set<string>();
  #kept: WrittenPosition | undefined;

  get ids(): readonly string[] {
    return [...this.held].sort();
  }

  open(source: string): Sink {
    return {
      positions: new Map(this.#kept ? [[source, this.#kept]] : []),
      write: async ({ changes: { operations, rows, schema }, position }: SinkBatch) => {
        for (const [row, { id }] of objectsOf(schema.columns, rows).entries())
          if (operations[row] === "d") this.held.delete(String(id));
          else this.held.add(String(id));
        this.#kept = position;
      },
      close: async () => undefined,
    };
  }
}

/** A run of the flow over a played chain, with tables of its own. */
export class FilledRun {
  readonly #plan: PipelinePlan;
  readonly #chain: PlayedChain;
  readonly #stride: number;
  readonly tables: PipelineTables;

  constructor(
    plan: PipelinePlan,
    chain: PlayedChain,
    stride: number,
    openStore: (owner: Omit<TableOwner, "isReadOnly">) => Promise<TableStore | undefined> = async () =>
      undefined,
  ) {
    this.#plan = plan;
    this.#chain = chain;
    this.#stride = stride;
    this.tables = new PipelineTables(plan, {
      ...onlySql,
      openTableSource: () => this.#source(3),
      openStore: (_, owner) => openStore(owner),
    });
  }

  /** Writes all that happened into a sink. */
  async drain(sink: HeldIds): Promise<void> {
    const planned = this.#plan.sinks[0] as PlannedSink;
    const program = await openProgram(this.#plan, planned, this.tables.programWorld);
    try {
      await runSink(planned, sink.open("transfers"), program, () => this.#source(this.#stride), {
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
    } finally {
      await program.close();
    }
  }

  #source(stride: number): Source {
    return transfersOf(this.#chain, this.#plan.sources[0]?.schema.columns ?? [], stride);
  }
}
