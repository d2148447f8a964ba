import type { Delta } from "../changes/delta.js";
import { noRows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import type { PlannedSink, PlannedSource, PlannedTransform } from "../plan/pipeline-plan.js";
import type { BatchLimits, Source, SourceBatch, SourcePosition } from "../sources/source.js";
import type { SqlEngine } from "../sql/engine.js";
import type { Lookups } from "./lookups.js";
import type { NodeCounter } from "./node-counts.js";
import type { Stage } from "./stage.js";

/** Rows that are given to a sink, or to a transform, at once. */
const batchRows = 10_000;

interface JobProgramParts {
  readonly sources: readonly PlannedSource[];
  readonly transforms: readonly PlannedTransform[];
  /** In the order of the plan. */
  readonly stages: readonly Stage[];
  readonly engine: SqlEngine;
  /** Nodes whose rows are in tables of the engine. */
  readonly tables: ReadonlySet<string>;
  readonly lookups: Lookups;
  readonly sink: PlannedSink;
  /** Queries between others are not counted: computing them for this purpose may take as long as the job. */
  readonly counter: NodeCounter | undefined;
  readonly close: () => Promise<void>;
}

/**
 * A program with a query that needs all rows at once. First, all rows are loaded into tables, source by source. Then
 * the query for the sink is computed once, in a reproducible order. The number of a row is its position, so a sink
 * that keeps positions gets each row once, even if the job is killed and computed again.
 */
export class JobProgram {
  /** The computed node, under the name that the sink refers to. */
  readonly sources: readonly PlannedSource[];
  readonly #parts: JobProgramParts;
  #computed: Promise<number> | undefined;

  constructor(parts: JobProgramParts) {
    this.#parts = parts;
    const { name } = parts.sink.definition;
    const definition = { type: "dataset", name, settings: {} } as const;
    this.sources = [{ name: parts.sink.from, definition, schema: parts.sink.schema }];
  }

  async apply(_source: string, delta: Delta): Promise<Delta> {
    return delta;
  }

  open(openSource: (source: PlannedSource) => Source, last = Number.POSITIVE_INFINITY): Source {
    const compute = (): Promise<number> => {
      this.#computed ??= this.#compute(openSource);
      return this.#computed;
    };
    const { engine, sink } = this.#parts;
    const { columns } = sink.schema;
    return {
      async *batches(
        position: SourcePosition | undefined,
        { blocks = batchRows, rows = batchRows }: BatchLimits = {},
      ): AsyncGenerator<SourceBatch, void, void> {
        const end = Math.min(await compute(), last + 1);
        const step = Math.min(batchRows, blocks, rows);
        for (let from = position?.next ?? 0; from < end; from += step) {
          const next = Math.min(from + step, end);
          const plus = await engine.computedRows(sink.from, columns, from, next);
          yield {
            from,
            to: next - 1,
            isUndone: false,
            position: { next, open: [] },
            block: null,
            delta: { minus: noRows(columns.length), plus },
          };
        }
      },
    };
  }

  async close(): Promise<void> {
    await this.#parts.close();
  }

  /** @returns the number of rows for the sink */
  async #compute(openSource: (source: PlannedSource) => Source): Promise<number> {
    const { sources, transforms, stages, engine, lookups, sink, counter } = this.#parts;
    const passed = (node: string, rows: number): void => counter?.passed(node, sink.name, rows);
    await lookups.prepare(undefined);
    for (const source of sources)
      for await (const { delta } of openSource(source).batches(undefined)) {
        await engine.append(source.name, source.schema.columns, delta.plus);
        passed(source.name, delta.plus.count);
      }
    for (const { planned, transform } of stages) {
      const [from = ""] = planned.reads;
      const columns = this.#columnsOf(from);
      const count = await engine.compute(from, false);
      for (let row = 0; row < count; row += batchRows) {
        const rows = await engine.computedRows(from, columns, row, Math.min(row + batchRows, count));
        const made = await transform.apply(rows);
        await engine.append(planned.name, planned.schema.columns, made);
        passed(planned.name, made.count);
      }
    }
    const isOrdered = transforms.find(({ name }) => name === sink.from)?.query?.isOrdered ?? false;
    const rows = await engine.compute(sink.from, isOrdered);
    if (transforms.some(({ name, definition }) => name === sink.from && definition.type === "sql"))
      passed(sink.from, rows);
    return rows;
  }

  #columnsOf(name: string): readonly RowColumn[] {
    const { sources, transforms } = this.#parts;
    return [...sources, ...transforms].find((node) => node.name === name)?.schema.columns ?? [];
  }
}
