import { invariant } from "../../base/invariant.js";
import { Semaphore } from "../../base/turns/semaphore.js";
import type { Delta } from "../changes/delta.js";
import { type ReplacedKey, replacedRows } from "../changes/replaced-rows.js";
import { joinRows, noRows, type Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import type { StoredQuery, StoredRows } from "../changes/stored-rows.js";
import { keyCopies } from "../plan/key-copies.js";
import { nodesBefore } from "../plan/nodes-before.js";
import type {
  PipelinePlan,
  PlannedLookup,
  PlannedSink,
  PlannedSource,
  PlannedTable,
  PlannedTransform,
} from "../plan/pipeline-plan.js";
import { changedKey } from "../sinks/sink-changes.js";
import type { Source } from "../sources/source.js";
import { type DeclaredRows, ListedRows } from "../sql/create-lookups.js";
import { createNode, defineFunction } from "../sql/create-node.js";
import { QueryError, type SqlEngine, StoredReadError } from "../sql/engine.js";
import type { LookupTable, RowsPlace, RowTable } from "../transforms/lookup-table.js";
import type { RowTransform } from "../transforms/row-transform.js";
import { blockColumn, halves } from "./halve-rows.js";
import { JobProgram } from "./job-program.js";
import { Lookups } from "./lookups.js";
import { BatchCounts, type NodeCounter } from "./node-counts.js";
import { type RowTap, TappedBatch } from "./row-tap.js";
import type { Stage } from "./stage.js";

/** The computation between the sources and one sink. */
export interface Program {
  /** The sources that lead to the sink. */
  readonly sources: readonly PlannedSource[];
  /**
   * Computes the sink's change from a change of one source's rows.
   * @param place the origin of the rows, if they belong to blocks
   * @throws QueryError, TransformError, and errors of tables
   */
  apply(source: string, delta: Delta, place?: RowsPlace): Promise<Delta>;
  /**
   * Computes the result of new stored rows without reading their values here. Set if everything between the sources
   * and the sink is SQL.
   * @throws StoredReadError if they must be read: a file is gone, or there is too much at once
   */
  readonly applyStored?: ((source: string, given: StoredQuery) => Promise<StoredRows>) | undefined;
  /** How many calls of `applyStored` are computed at once; one if absent. */
  readonly storedAtOnce?: number | undefined;
  /** How many rows a call of `applyStored` has memory for, about; any number if absent. */
  readonly mostStored?: number | undefined;
  /**
   * Opens the program's own source, whose rows it computes from all rows of the real sources.
   * @param openSource opens a real source, for final blocks only
   * @param last the last row to return; all if absent
   */
  open?(openSource: (source: PlannedSource) => Source, last?: number): Source;
  /** How many keys of new rows no lookup has found so far; absent if nothing is looked up. */
  readonly misses?: number | undefined;
  /** Lookups whose rows may change, so that the same rows may be computed in another way. */
  readonly changing?: readonly string[];
  close(): Promise<void>;
}

/** The outside world of a program. */
export interface ProgramWorld {
  /** Opens an empty database; called only if there is SQL to run. @param isJob whether it has all rows at once */
  openEngine(isJob?: boolean): Promise<SqlEngine>;
  /** Opens a transform that is not SQL. @throws TransformError */
  openTransform(planned: PlannedTransform): Promise<RowTransform>;
  /** Opens a table that queries look values up in. @throws SinkError */
  openTable(planned: PlannedTable): Promise<LookupTable>;
  /** Opens a table in a database with whose rows queries join. @throws PipelineError */
  openLookup(planned: PlannedLookup): Promise<RowTable>;
  /** Shows rows that pass sources and transforms; absent without viewers. */
  readonly tap?: RowTap | undefined;
  /** Counts rows that pass sources and transforms; without it, they are not counted. */
  readonly counter?: NodeCounter | undefined;
}

/**
 * Prepares the transforms that lead to a sink.
 * @throws TransformError
 */
export async function openProgram(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: ProgramWorld,
): Promise<Program> {
  const needed = nodesBefore(sink.from, plan);
  const sources = sourcesOf(plan, sink);
  const transforms = plan.transforms.filter(({ name }) => needed.has(name));
  const stages: Stage[] = [];
  const lookups = new Lookups();
  const listed = new ListedRows([...(plan.lookups ?? []), ...tablesWithRows(plan)], (name) =>
    lookups.rowsOf(name),
  );
  let engine: SqlEngine | undefined;
  const close = async (): Promise<void> => {
    engine?.close();
    for (const { transform } of stages) await transform.close();
    await lookups.close();
  };
  try {
    for (const planned of transforms)
      if (planned.definition.type !== "sql")
        stages.push({ planned, transform: await world.openTransform(planned) });
    const queries = transforms.filter(({ definition }) => definition.type === "sql");
    const filtered = sources.filter(({ definition }) => definition.settings.filter);
    const tables = new Set([...queries.flatMap(({ reads }) => reads), ...filtered.map(({ name }) => name)]);
    // Nodes that code reads have to be whole, too.
    if (sink.isWhole)
      for (const { name } of [...sources, ...stages.map(({ planned }) => planned)]) tables.add(name);
    const queried = new Set([...queries, ...filtered].map(({ name }) => name));
    if (queried.size > 0) {
      engine = await world.openEngine(sink.isWhole);
      const used = new Set([...filtered, ...queries].flatMap(({ lookups: names = [] }) => names));
      for (const planned of plan.tables ?? [])
        if (used.has(planned.name)) lookups.add(planned.name, await world.openTable(planned));
      const joined = new Set(queries.flatMap(({ joins = [] }) => joins));
      for (const planned of plan.lookups ?? [])
        if (!planned.rows && joined.has(planned.name))
          lookups.addRows(planned.name, await world.openLookup(planned));
      await prepare(engine, plan, [...sources, ...transforms], tables, { lookups, listed });
    }
    if (sink.isWhole && engine)
      return new JobProgram({
        sources,
        transforms,
        stages,
        engine,
        tables,
        lookups,
        sink,
        close,
        counter: world.counter,
      });
    return new StagedProgram({
      sources,
      transforms,
      stages,
      engine,
      tables,
      queried,
      lookups,
      listed,
      sink,
      close,
      tap: world.tap,
      counter: world.counter,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates queries, and the tables that they read. @param nodes in order of dependencies */
async function prepare(
  engine: SqlEngine,
  { functions, operations }: PipelinePlan,
  nodes: readonly (PlannedSource | PlannedTransform)[],
  tables: ReadonlySet<string>,
  { lookups, listed }: { readonly lookups: Lookups; readonly listed: ListedRows },
): Promise<void> {
  for (const name of functions)
    await defineFunction(engine, name, (table, value) => lookups.has(table, value));
  for (const node of nodes) {
    const { name, definition, schema } = node;
    if (definition.type === "sql") {
      const isStateful = "query" in node && node.query?.stateful !== undefined;
      const sql = definition.settings.sql?.value ?? "";
      await listed.create(engine, [...(node.lookups ?? []), ...("joins" in node ? (node.joins ?? []) : [])]);
      await createNode(engine, { name, sql, listed: isStateful ? undefined : listed }, operations);
    } else if (tables.has(name))
      await createNode(engine, { name, columns: schema.columns, filter: filterOf(definition) }, operations);
  }
}

function filterOf({ settings }: (PlannedSource | PlannedTransform)["definition"]): string | undefined {
  return "filter" in settings ? settings.filter?.value : undefined;
}

/** The dynamic tables with whose rows queries may join. */
function tablesWithRows({ tables = [] }: PipelinePlan): readonly DeclaredRows[] {
  return tables.flatMap(({ name, key, fill }) =>
    key && fill ? [{ name, key, columns: fill.query.schema.columns, rows: undefined }] : [],
  );
}

/** The sources that lead to a sink. */
export function sourcesOf(plan: PipelinePlan, sink: PlannedSink): readonly PlannedSource[] {
  const needed = nodesBefore(sink.from, plan);
  return plan.sources.filter(({ name }) => needed.has(name));
}

interface StagedProgramParts {
  readonly sources: readonly PlannedSource[];
  readonly transforms: readonly PlannedTransform[];
  /** In the order of the plan. */
  readonly stages: readonly Stage[];
  /** `undefined` if there is no SQL. */
  readonly engine: SqlEngine | undefined;
  /** Nodes whose rows are in tables of the engine. */
  readonly tables: ReadonlySet<string>;
  /** Nodes whose rows the engine computes: queries, and sources with a filter. */
  readonly queried: ReadonlySet<string>;
  readonly lookups: Lookups;
  readonly listed: ListedRows;
  readonly sink: PlannedSink;
  readonly close: () => Promise<void>;
  readonly tap: RowTap | undefined;
  readonly counter: NodeCounter | undefined;
}

/** A half of a batch, with its viewers and counters. */
interface Half {
  readonly half: "minus" | "plus";
  readonly tapped: TappedBatch | undefined;
  readonly counts: BatchCounts | undefined;
  /** Whether some rows are enough to look at, because the other half cannot change what happened to them. */
  readonly mayStop: boolean;
}

/** The most rows of a stored batch to compute for viewers. */
const mostSampled = 100;

/**
 * A chain of stages: views of the engine, which cost nothing themselves, and transforms that are not SQL, whose rows
 * are loaded into tables for queries. Every output row comes from one row of one source. So a change of one source is
 * computed while the tables of all others are empty, and deleted rows are computed like new ones.
 */
class StagedProgram implements Program {
  readonly sources: readonly PlannedSource[];
  readonly #parts: StagedProgramParts;
  readonly #columns: ReadonlyMap<string, readonly RowColumn[]>;
  /** By source whose rows replace others: where its columns have the columns of the sink's key. */
  readonly #replaced: ReadonlyMap<string, ReplacedKey>;
  /** The tables of the engine hold the rows of one batch at a time. */
  readonly #turns = new Semaphore(1);

  constructor(parts: StagedProgramParts) {
    this.sources = parts.sources;
    this.#parts = parts;
    this.#columns = new Map(
      [...parts.sources, ...parts.transforms].map(({ name, schema }) => [name, schema.columns]),
    );
    const { from, schema } = parts.sink;
    const copies = keyCopies(from, schema, [...parts.sources, ...parts.transforms]);
    this.#replaced = new Map(
      [...copies].map(([{ name }, places]) => {
        invariant(places, "a plan refuses keys that are not those of the source");
        return [name, { schema, places }];
      }),
    );
  }

  apply(source: string, delta: Delta, place?: RowsPlace): Promise<Delta> {
    return this.#turns.run(() => this.#apply(source, delta, place));
  }

  async #apply(source: string, { minus, plus }: Delta, place?: RowsPlace): Promise<Delta> {
    const { engine, lookups, listed, sink, tap, counter, sources, transforms } = this.#parts;
    const width = sink.schema.columns.length;
    if (minus.count + plus.count === 0) return { minus: noRows(width), plus: noRows(width) };
    const replaced = this.#replaced.get(source);
    for (;;) {
      // Both halves see the same values.
      const undone = await lookups.prepare(place);
      if (engine) await listed.begin(engine);
      const tapped = TappedBatch.of(tap, [...sources, ...transforms], sink.name);
      const counts = counter && new BatchCounts(counter, sink.name);
      const known = { tapped, counts, mayStop: minus.count === 0 };
      const made = {
        minus: replaced
          ? noRows(width)
          : await this.#atBlocks(source, minus, place, { ...known, half: "minus" }),
        plus: await this.#atBlocks(source, plus, place, { ...known, half: "plus" }),
      };
      // Another sink may have made a table remove values meanwhile.
      if (lookups.undone !== undone) continue;
      tapped?.end();
      counts?.end();
      return replaced ? { ...made, minus: replacedRows(minus, made.plus, replaced) } : made;
    }
  }

  get applyStored(): Program["applyStored"] {
    const { engine, stages, lookups, listed, queried, sink } = this.#parts;
    if (!engine || stages.length > 0 || lookups.size > 0 || !queried.has(sink.from)) return undefined;
    const result = { name: sink.from, columns: this.#columnsOf(sink.from) };
    return async (source, given) => {
      await this.#turns.run(() => this.#sample(engine, source, given));
      const made = await listed.counted(() => engine.takeFrom(given, source, result, changedKey(sink)));
      await this.#countStored(engine, source, given, made);
      return made;
    };
  }

  get misses(): number | undefined {
    return this.#parts.listed.misses;
  }

  get changing(): readonly string[] {
    return this.#parts.lookups.changing;
  }

  get storedAtOnce(): number | undefined {
    return this.#parts.engine?.storedAtOnce;
  }

  get mostStored(): number | undefined {
    return this.#parts.engine?.mostStored;
  }

  async close(): Promise<void> {
    await this.#parts.close();
  }

  /** Shows viewers the results of the first of many stored rows, if there are viewers. */
  async #sample(engine: SqlEngine, source: string, given: StoredQuery): Promise<void> {
    const { tap, sources, transforms, sink } = this.#parts;
    const batch = TappedBatch.of(tap, [...sources, ...transforms, sink], sink.name);
    if (!batch || [...batch.rooms.values()].every((room) => room === 0)) return;
    try {
      const first: StoredQuery = {
        files: given.files,
        query: (at) => `select * from (${given.query(at)}) limit ${mostSampled}`,
      };
      const table = { name: source, columns: this.#columnsOf(source) };
      const stored = await engine.takeFrom(first, source, table, []);
      const rows = await stored.rows().finally(() => stored.drop());
      await this.#through(source, rows, { half: "plus", tapped: batch, counts: undefined, mayStop: true });
      batch.end();
    } catch (error) {
      // The writer of the rows gets the same error, and handles it.
      if (!(error instanceof StoredReadError || error instanceof QueryError)) throw error;
    }
  }

  /**
   * Computes all blocks at once. If a lookup found a value that was added within these blocks, they are halved until
   * each row sees exactly the values of its own and earlier blocks.
   */
  async #atBlocks(source: string, rows: Rows, place: RowsPlace | undefined, known: Half): Promise<Rows> {
    const { lookups } = this.#parts;
    lookups.look(place);
    try {
      const made = await this.#through(source, rows, known);
      if (made) return made;
    } catch (error) {
      // A row that does not belong there may be what cannot be computed.
      if (!lookups.isTorn) throw error;
    }
    const column = blockColumn(this.#columnsOf(source));
    const width = this.#parts.sink.schema.columns.length;
    const made: Rows[] = [];
    for (const half of halves(rows, column, place))
      made.push(await this.#atBlocks(source, half.rows, half.place, known));
    return joinRows(made, width);
  }

  /** `undefined` as soon as a lookup has no answer that holds for all blocks. */
  async #through(source: string, rows: Rows, known: Half): Promise<Rows | undefined> {
    const { stages, sink, listed } = this.#parts;
    if (rows.count === 0) return noRows(sink.schema.columns.length);
    const computed = new Map<string, Rows>();
    const compute = (name: string): Promise<Rows | undefined> =>
      this.#looked(() =>
        known.half === "minus"
          ? this.#rowsOf(name, computed)
          : listed.counted(() => this.#rowsOf(name, computed)),
      );
    try {
      await this.#put(source, rows, computed);
      for (const { planned, transform } of stages) {
        const given = await compute(planned.reads[0] ?? "");
        if (!given) return undefined;
        if (given.count > 0) await this.#put(planned.name, await transform.apply(given), computed);
      }
      const made = await compute(sink.from);
      if (!made) return undefined;
      const { tapped, counts } = known;
      if (tapped) await this.#show(tapped, known, computed, made);
      if (counts) await this.#count(counts, known, computed, made);
      return made;
    } finally {
      for (const name of computed.keys()) await this.#fill(name, noRows(this.#columnsOf(name).length));
    }
  }

  /**
   * Computes rows, and once more after rows that they look up were read. Only then does a failure count.
   * @returns `undefined` if a lookup has no answer that holds for all blocks
   */
  async #looked(compute: () => Promise<Rows>): Promise<Rows | undefined> {
    const { engine, lookups, listed } = this.#parts;
    for (;;) {
      const { misses } = listed;
      const made = await compute().then(
        (rows) => ({ rows }),
        (error: unknown) => ({ error }),
      );
      if (!lookups.isTorn && (!engine || (await listed.complete(engine))) && !lookups.isTorn) {
        if ("rows" in made) return made.rows;
        throw made.error;
      }
      listed.uncount(misses);
      if (lookups.isTorn) return undefined;
    }
  }

  /** Adds the rows of all watched nodes to a batch. */
  async #show(
    batch: TappedBatch,
    { half, mayStop }: Half,
    computed: ReadonlyMap<string, Rows>,
    result: Rows,
  ): Promise<void> {
    const { engine, queried, sink } = this.#parts;
    for (const [node, room] of batch.rooms) {
      const { name } = node;
      if (name === sink.from || node === sink) batch.add(node, half, result);
      else if (!queried.has(name)) batch.add(node, half, await this.#rowsOf(name, computed));
      else if (engine && room > 0) {
        try {
          const most = mayStop ? room : undefined;
          batch.add(node, half, await engine.rowsOf(name, this.#columnsOf(name), most));
        } catch (error) {
          // A value that only the viewer asks for must not stop the pipeline.
          if (!(error instanceof QueryError)) throw error;
        }
      }
    }
  }

  /** Counts the rows of all nodes. The engine counts rows that exist only in a query. */
  async #count(
    counts: BatchCounts,
    { half }: Half,
    computed: ReadonlyMap<string, Rows>,
    result: Rows,
  ): Promise<void> {
    const { engine, queried, sink } = this.#parts;
    for (const [name, { count }] of computed) if (!queried.has(name)) counts.add(name, half, count);
    if (queried.has(sink.from)) counts.add(sink.from, half, result.count);
    const others = [...queried].filter((name) => name !== sink.from);
    if (engine && others.length > 0)
      for (const [name, count] of await engine.countsOf(others)) counts.add(name, half, count);
  }

  /** Counts the rows that stored rows become. */
  async #countStored(engine: SqlEngine, source: string, given: StoredQuery, made: StoredRows): Promise<void> {
    const { counter, queried, sink } = this.#parts;
    if (!counter) return;
    const counts = new BatchCounts(counter, sink.name);
    counts.add(sink.from, "plus", made.count);
    const others = [...new Set([source, ...queried])].filter((name) => name !== sink.from);
    if (others.length > 0)
      for (const [name, count] of await engine.countsFrom(given, source, others))
        counts.add(name, "plus", count);
    counts.end();
  }

  /** Keeps the rows of a node for stages that read them, and for queries. */
  async #put(name: string, rows: Rows, computed: Map<string, Rows>): Promise<void> {
    computed.set(name, rows);
    await this.#fill(name, rows);
  }

  async #fill(name: string, rows: Rows): Promise<void> {
    const { engine, tables } = this.#parts;
    if (tables.has(name)) await engine?.fill(name, this.#columnsOf(name), rows);
  }

  async #rowsOf(name: string, computed: ReadonlyMap<string, Rows>): Promise<Rows> {
    const { engine, queried } = this.#parts;
    const columns = this.#columnsOf(name);
    if (engine && queried.has(name)) return engine.rowsOf(name, columns);
    return computed.get(name) ?? noRows(columns.length);
  }

  #columnsOf(name: string): readonly RowColumn[] {
    return this.#columns.get(name) ?? [];
  }
}
