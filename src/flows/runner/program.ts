import type { Delta } from "../changes/delta.js";
import { noRows, type Rows } from "../changes/rows.js";
import type { FlowColumn } from "../changes/schema.js";
import type { FlowPlan, PlannedSink, PlannedSource } from "../plan/flow-plan.js";
import { standardQuotes } from "../sql/backticks.js";
import type { SqlEngine } from "../sql/engine.js";
import { functionNamed } from "../sql/functions.js";

/** What stands between the sources and one sink. */
export interface Program {
  /** The sources that lead to the sink. */
  readonly sources: readonly PlannedSource[];
  /**
   * What a change of one source's rows changes for the sink.
   * @throws QueryError
   */
  apply(source: string, delta: Delta): Promise<Delta>;
  close(): void;
}

/**
 * Prepares the transforms that lead to a sink.
 * @param openEngine opens an empty database; called only if there is SQL to run
 */
export async function openProgram(
  plan: FlowPlan,
  sink: PlannedSink,
  openEngine: () => Promise<SqlEngine>,
): Promise<Program> {
  const needed = nodesBefore(sink.from, plan);
  const sources = plan.sources.filter(({ name }) => needed.has(name));
  const transforms = plan.transforms.filter(({ name }) => needed.has(name));
  const [only] = sources;
  const isDirect = transforms.length === 0 && only?.definition.settings.filter === undefined;
  if (isDirect) return { sources, apply: async (_, delta) => delta, close: () => undefined };
  const engine = await openEngine();
  try {
    for (const name of plan.functions) defineFunction(engine, name);
    for (const { name, definition, schema } of sources)
      await engine.createTable(name, schema.columns, {
        condition: definition.settings.filter && standardQuotes(definition.settings.filter.value),
        operations: plan.operations,
      });
    for (const { name, definition } of transforms)
      if (definition.type === "sql")
        await engine.createView(name, standardQuotes(definition.settings.sql?.value ?? ""));
  } catch (error) {
    engine.close();
    throw error;
  }
  return new SqlProgram(engine, sources, sink);
}

function defineFunction(engine: SqlEngine, name: string): void {
  const found = functionNamed(name);
  if (found) engine.define(found);
}

/** Names of a node and of all that it reads, directly or not. */
function nodesBefore(name: string, { transforms }: FlowPlan): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (node: string): void => {
    reached.add(node);
    for (const before of transforms.find((transform) => transform.name === node)?.reads ?? []) visit(before);
  };
  visit(name);
  return reached;
}

/**
 * Transforms in SQL. Every row that they make comes from one row of one source, so a change of one source is followed
 * while the tables of all others are empty, and what is gone is asked for as what is new.
 */
class SqlProgram implements Program {
  readonly sources: readonly PlannedSource[];
  readonly #engine: SqlEngine;
  readonly #sink: PlannedSink;

  constructor(engine: SqlEngine, sources: readonly PlannedSource[], sink: PlannedSink) {
    this.#engine = engine;
    this.sources = sources;
    this.#sink = sink;
  }

  async apply(source: string, { minus, plus }: Delta): Promise<Delta> {
    const columns = this.sources.find(({ name }) => name === source)?.schema.columns ?? [];
    return {
      minus: await this.#through(source, columns, minus),
      plus: await this.#through(source, columns, plus),
    };
  }

  close(): void {
    this.#engine.close();
  }

  async #through(source: string, columns: readonly FlowColumn[], rows: Rows): Promise<Rows> {
    const made = this.#sink.schema.columns;
    if (rows.count === 0) return noRows(made.length);
    try {
      await this.#engine.fill(source, columns, rows);
      return await this.#engine.rowsOf(this.#sink.from, made);
    } finally {
      await this.#engine.fill(source, columns, noRows(columns.length));
    }
  }
}
