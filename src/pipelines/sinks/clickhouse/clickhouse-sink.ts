import { createHash } from "node:crypto";
import { reportFailure } from "../../../base/failures.js";
import { invariant } from "../../../base/invariant.js";
import { inBackground } from "../../../base/turns/guarded.js";
import { wait } from "../../../base/turns/wait.js";
import { updateLedger } from "../../changes/kept-ledger.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { Changes } from "../../changes/net-changes.js";
import { joinRows, noRows, pickRows, type Rows } from "../../changes/rows.js";
import { rowsText } from "../../changes/rows-text.js";
import type { KeptLineage, LineageGuard } from "../../state/lineage-guard.js";
import { type Positions, type SinkBatch, settledBefore } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import { type ClickHouse, ClickHouseError } from "../clickhouse-server.js";
import type { Sink, StoredBatch, StoredWriting } from "../sink.js";
import { insertion, refuseForeignRows, takeBack } from "./interrupted-batch.js";
import { lineageRow, positionRow, type StateRow, StateTable } from "./kept-state.js";
import { nativeBlock } from "./native-block.js";
import { insertStored, storedLimits } from "./stored-insert.js";
import { hasTable, prepareTable, type TableOptions, type TargetTable } from "./target-table.js";
import { WaitingBatches, type WaitingSource } from "./waiting-batches.js";

/** Where and how a sink writes. */
export interface ClickHouseSinkOptions extends TableOptions {
  readonly server: ClickHouse;
  readonly flow: string;
  readonly sink: string;
  readonly lineage?: LineageGuard | undefined;
  /** Final rows that are written at once, if they come quickly. */
  readonly batchSize: number;
  /** Milliseconds that final rows wait for others. Rows of other blocks do not wait. */
  readonly flushInterval: number;
  /** A signal that is aborted after some milliseconds. */
  readonly timeout: (milliseconds: number) => AbortSignal;
  /** A text that is different for every run. */
  readonly run: string;
  /** When the run began, in milliseconds since the Unix epoch. */
  readonly began: number;
}

/**
 * Opens a table of a ClickHouse server as a sink. Rows are written first, then the position, each in one insert. Every row
 * has a version, and versions only rise: a row that is written again replaces itself, and what an interrupted batch has
 * left is taken back when the sink is opened.
 * @throws SinkError for a table that does not fit, or that holds rows of something else
 */
export async function openClickHouseSink(options: ClickHouseSinkOptions): Promise<Sink> {
  const { server, schema, lineage } = options;
  try {
    if (schema.key.length === 0)
      throw new SinkError("ClickHouse replaces rows by their key. Add primary_key to the sink.", false);
    const { state, prefix } = stateTable(options);
    await refuseRunningInserts(server, prefix);
    await state.prepare();
    const before = await keptLineage(options, state);
    lineage?.check(before);
    let isMade = before.isMade;
    const table = await prepareTable(server, options, async () => {
      await state.forget();
      isMade = true;
    });
    const kept = await state.read();
    if (!kept) await refuseForeignRows(server, table);
    const committed = kept ? await takeBack(server, table, kept, `${state.token}-`) : 0;
    const positions: Positions = kept?.positions ?? new Map();
    const isOther = isMade !== before.isMade || (lineage && lineage.text !== before.text);
    const changed = isOther ? [lineageRow(lineage?.text ?? before.text, isMade)] : [];
    await state.takeOver(positions, committed, changed);
    const tails = new Map<string, readonly LedgerEntry[]>();
    for (const [source, position] of positions)
      tails.set(source, await state.ledgerTail(source, settledBefore(position)));
    return new ClickHouseSink(options, table, state, { positions, tails, committed });
  } catch (error) {
    await server.close();
    throw sinkErrorOf(error);
  }
}

/** What is kept about where rows come from; nothing if the table is gone, since it is written anew then. */
export async function keptLineage(
  { server, table }: Pick<ClickHouseSinkOptions, "server" | "table">,
  state: StateTable,
): Promise<KeptLineage & { readonly isMade: boolean }> {
  return (await hasTable(server, table))
    ? state.lineage()
    : { text: undefined, isWritten: false, isMade: false };
}

/** The table that keeps where a sink is, and what the ids of the sink's inserts begin with. */
export function stateTable({ server, flow, sink, table, schema, run, began }: ClickHouseSinkOptions): {
  readonly state: StateTable;
  readonly prefix: string;
} {
  const prefix = `graphloom-${hashOf([flow, sink, table.database, table.name])}-`;
  const owner = { flow, sink, table, columns: schema.columns };
  return { state: new StateTable(server, owner, { token: `${prefix}${run}`, began }), prefix };
}

function hashOf(names: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 16);
}

/** An insert whose process has ended may still go on; its rows would come after everything was looked at. */
export async function refuseRunningInserts(server: ClickHouse, prefix: string): Promise<void> {
  const running = await server.query(
    "SELECT query_id FROM system.processes WHERE startsWith(query_id, {prefix:String}) LIMIT 1",
    { prefix },
  );
  if (running.length > 0) throw new SinkError("An insert of an earlier run has not ended yet.", true);
}

/** Where a sink was when it was opened. */
interface Found {
  readonly positions: Positions;
  readonly tails: Map<string, readonly LedgerEntry[]>;
  readonly committed: number;
}

/** Rows that the SQL engine holds and that are inserted at once; an audit reads them again together. */
const mostStored = 100_000;

class ClickHouseSink implements Sink {
  readonly positions: Positions;
  readonly storedWriting: StoredWriting | undefined;
  readonly #options: ClickHouseSinkOptions;
  readonly #table: TargetTable;
  readonly #state: StateTable;
  /** The blocks of each source whose rows are kept: hashes by number. */
  readonly #kept = new Map<string, Map<number, string>>();
  /** The end of each source's ledger, with what waits. */
  readonly #tails: Map<string, readonly LedgerEntry[]>;
  readonly #closed = new AbortController();
  #waiting = new WaitingBatches();
  /** The positions in the state. */
  readonly #written = new Map<string, number>();
  /** The version of the last batch, written or waiting. */
  #version: number;
  /** What is being written. Once it has failed, nothing more is written. */
  #writing: Promise<void> = Promise.resolve();

  constructor(
    options: ClickHouseSinkOptions,
    table: TargetTable,
    state: StateTable,
    { positions, tails, committed }: Found,
  ) {
    this.positions = positions;
    this.#tails = tails;
    this.#options = options;
    this.#table = table;
    this.#state = state;
    this.#version = committed;
    for (const [source, { open }] of positions)
      this.#kept.set(source, new Map(open.map(({ number, hash }) => [number, hash])));
    const limits = storedLimits(table.columns);
    if (limits)
      this.storedWriting = {
        limits: { rows: Math.min(options.batchSize, mostStored), blocks: 1_000_000 },
        write: async (batch) => {
          if (!(await batch.stored.isWithin(limits))) return false;
          await this.#writeStored(batch);
          return true;
        },
      };
  }

  async write(batch: SinkBatch): Promise<void> {
    const { operations, rows } = batch.changes;
    const version = this.#version + 1;
    const names = this.#table.rowColumns;
    const isDeleted = (row: number): boolean => operations[row] === "d";
    const block =
      rows.count === 0 ? undefined : nativeBlock(this.#table.columns, rows, { names, version, isDeleted });
    // Rows of a replay replace themselves: when it is interrupted, they must not be taken back.
    const replaced = batch.isReplay ? rows : replacedRows(batch.changes);
    // Who reads the table must notice that a block was undone, also if it had no rows here and its successor has.
    const isUndone = batch.ledger === undefined && !batch.isReplay;
    const isChange = replaced.count > 0 || isUndone;
    // What a batch replaces may be in those that wait, so they go first.
    if (isChange) await this.#flush();
    await this.#writing;
    if (batch.isReturn) this.#tails.set(batch.source, await this.#state.ledger(batch.source));
    this.#wait(batch, version);
    if (block) this.#waiting.blocks.push(block);
    this.#waiting.rows += rows.count;
    if (isChange) this.#waiting.before = replaced;
    const isFinal = batch.position.open.length === 0 && !isChange;
    if (!isFinal || this.#waiting.rows >= this.#options.batchSize) await this.#flush();
    else this.#flushLater();
  }

  /** Rows of final blocks are new, so nothing is to be put back if the insert is interrupted. */
  async #writeStored(batch: StoredBatch): Promise<void> {
    await this.#flush();
    this.#wait(batch, this.#version + 1);
    if (batch.ledger.rows > 0) this.#waiting.stored = batch.stored;
    await this.#flush();
  }

  /** Adds a batch, whose rows are still missing, to what waits. */
  #wait(batch: Pick<SinkBatch, "source" | "from" | "ledger" | "position">, version: number): void {
    this.#version = version;
    const { source, from, ledger, position } = batch;
    const range = { from, entry: ledger, settled: settledBefore(position) };
    const update = updateLedger(this.#tails.get(source) ?? [], range);
    this.#tails.set(source, update.tail);
    this.#waiting.add(batch, version, update);
  }

  written(source: string): number | undefined {
    return this.#written.get(source);
  }

  async end(): Promise<void> {
    await this.#flush();
  }

  async forget(): Promise<void> {
    await this.#flush();
    try {
      await this.#state.checkWriter();
      await this.#state.forgetSources();
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    // Whoever has waited for it was told.
    await this.#writing.catch(() => undefined);
    await this.#options.server.close();
  }

  /** Writes what waits. */
  #flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    // A failure is thrown by whatever is called next.
    this.#writing.catch(() => undefined);
    return this.#writing;
  }

  /** Writes what waits after a time, even if nothing comes any more. */
  #flushLater(): void {
    const { timeout, flushInterval } = this.#options;
    const waiting = this.#waiting;
    if (waiting.isTimed) return;
    waiting.isTimed = true;
    const flushing = wait(flushInterval, { timeout }, this.#closed.signal).then(() => {
      // A failure is thrown by whatever is called next.
      if (this.#waiting === waiting && !this.#closed.signal.aborted) this.#flush().catch(() => undefined);
    });
    inBackground(flushing, reportFailure);
  }

  async #writeWaiting(): Promise<void> {
    const { blocks, stored, sources, before, version } = this.#waiting;
    if (sources.size === 0) return;
    this.#waiting = new WaitingBatches();
    const { server } = this.#options;
    const id = `${this.#state.token}-rows-${version}`;
    try {
      await this.#state.checkWriter();
      if (before) await this.#state.writeBefore(version, before);
      if (blocks.length > 0) await server.insert(insertion(this.#table), blocks, id);
      if (stored) await insertStored(server, this.#table, stored, version, id);
      const rows = [...sources].flatMap(([source, waiting]) => this.#stateOf(source, waiting));
      await this.#state.write(rows, version);
      for (const [source, { position }] of sources) this.#written.set(source, position.next);
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  /** The rows of the state that change. */
  #stateOf(source: string, { position, ledger }: WaitingSource): readonly StateRow[] {
    const rows: StateRow[] = [positionRow(source, position.next)];
    const kept = this.#kept.get(source) ?? new Map<number, string>();
    const open = new Map(position.open.map(({ number, hash }) => [number, hash]));
    for (const number of kept.keys())
      if (!open.has(number)) rows.push({ kind: "block", source, number, value: undefined });
    for (const { number, hash, rows: made } of position.open)
      if (kept.get(number) !== hash)
        rows.push({ kind: "block", source, number, value: { hash, rows: rowsText(made) } });
    this.#kept.set(source, open);
    for (const [number, entry] of ledger)
      rows.push({ kind: "ledger", source, number, value: entry && { ...entry, sum: String(entry.sum) } });
    return rows;
  }
}

/** A server's error as that of a sink; other errors as they are. */
export function sinkErrorOf(error: unknown): unknown {
  if (!(error instanceof ClickHouseError)) return error;
  return new SinkError(error.message, error.isTemporary, { cause: error });
}

/** The rows that changes replace or delete, as they were. */
function replacedRows({ schema, operations, rows, replaced }: Changes): Rows {
  const updates = operations.filter((operation) => operation === "u").length;
  const { length: width } = schema.columns;
  const before = replaced ?? noRows(width);
  invariant(before.count === updates, "what updates replace is known");
  // Deletions come first.
  let deleted = 0;
  while (operations[deleted] === "d") deleted += 1;
  if (deleted === 0) return before;
  const gone = pickRows(rows, [...Array(deleted).keys()]);
  return joinRows([gone, before], width);
}
