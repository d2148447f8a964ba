import { createHash } from "node:crypto";
import { reportFailure } from "../../../base/failures.js";
import { invariant } from "../../../base/invariant.js";
import { visible } from "../../../base/text/visible.js";
import { inBackground } from "../../../base/turns/guarded.js";
import { wait } from "../../../base/turns/wait.js";
import type { Changes } from "../../changes/net-changes.js";
import { joinRows, noRows, pickRows, type Rows } from "../../changes/rows.js";
import type { KeptLineage, LineageGuard } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { Positions, SinkBatch } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import { lineageRow, VersionState } from "../../state/version-state.js";
import type { StateRow } from "../../state/versions.js";
import { type ClickHouse, ClickHouseError } from "../clickhouse-server.js";
import { RowError, type Sink, type StoredBatch, type StoredWriting } from "../sink.js";
import { insertion, refuseForeignRows, takeBack } from "./interrupted-batch.js";
import { nativeBlock } from "./native-block.js";
import { insertHalves, isRefusal } from "./refused-rows.js";
import { StateRows } from "./state-rows.js";
import { insertStored, storedLimits } from "./stored-insert.js";
import { hasTable, prepareTable, type TableOptions, type TargetTable } from "./target-table.js";

/** Where and how a sink writes. */
export interface ClickHouseSinkOptions extends TableOptions {
  readonly server: ClickHouse;
  readonly flow: string;
  readonly sink: string;
  readonly lineage?: LineageGuard | undefined;
  /** Whether refused rows may be parked. Each batch is written by itself then, so that its refused rows are known. */
  readonly parks?: boolean;
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
 * Opens a table of a ClickHouse server as a sink. It writes rows first, then the position, each in one insert. Every row
 * has a version, and versions only rise, so a row that is written again replaces itself. Opening the sink takes back the
 * rows of an interrupted batch.
 * @throws SinkError for a table that does not fit, or that holds rows of something else
 */
export async function openClickHouseSink(options: ClickHouseSinkOptions): Promise<Sink> {
  const { server, schema, lineage } = options;
  try {
    if (schema.key.length === 0)
      throw new SinkError("ClickHouse replaces rows by their key. Add primary_key to the sink.", false);
    const { state, prefix } = stateOf(options);
    await refuseRunningInserts(server, prefix);
    await state.prepare();
    const { isMade: wasMade, ...before } = await keptLineage(options, state);
    lineage?.check(before);
    let isMade = wasMade;
    const table = await prepareTable(server, options, async () => {
      await state.forget();
      isMade = true;
    });
    const kept = await state.read();
    if (!kept) await refuseForeignRows(server, table);
    const committed = kept ? await takeBack(server, table, kept, `${state.token}-`) : 0;
    const positions: Positions = kept?.positions ?? new Map();
    const isOther = isMade !== wasMade || (lineage && lineage.text !== before.text);
    const changed = isOther ? [lineageRow(lineage?.text ?? before.text, isMade)] : [];
    await state.takeOver(positions, committed, changed);
    return new ClickHouseSink(options, table, state, { positions, committed, parked: await state.parked() });
  } catch (error) {
    await server.close();
    throw sinkErrorOf(error);
  }
}

/** The lineage in the state; `undefined` if the table is gone, since all rows are written again then. */
export async function keptLineage(
  { server, table }: Pick<ClickHouseSinkOptions, "server" | "table">,
  state: VersionState,
): Promise<KeptLineage & { readonly isMade: boolean }> {
  return (await hasTable(server, table))
    ? state.lineage()
    : { text: undefined, isWritten: false, isMade: false };
}

/** The state of a sink, and the prefix of the ids of its inserts. */
export function stateOf({ server, flow, sink, table, schema, run, began }: ClickHouseSinkOptions): {
  readonly state: VersionState;
  readonly prefix: string;
} {
  const prefix = `graphloom-${hashOf([flow, sink, table.database, table.name])}-`;
  const owner = { flow, sink, target: table.name, columns: schema.columns };
  const rows = new StateRows(server, table.database, owner);
  return { state: new VersionState(rows, owner, { token: `${prefix}${run}`, began }), prefix };
}

function hashOf(names: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 16);
}

/** An insert may still run after its process has ended. Its rows would appear after the table was checked. */
export async function refuseRunningInserts(server: ClickHouse, prefix: string): Promise<void> {
  const running = await server.query(
    "SELECT query_id FROM system.processes WHERE startsWith(query_id, {prefix:String}) LIMIT 1",
    { prefix },
  );
  if (running.length > 0) throw new SinkError("An insert of an earlier run has not ended yet.", true);
}

/** The most rows that are inserted directly from the SQL engine. An audit reads them again together. */
const mostStored = 100_000;

/** Batches that are written together. */
class WaitingBatches {
  /** Rows in the format of the insert. */
  readonly blocks: Uint8Array[] = [];
  /** The version of the last batch. */
  version = 0;
  rows = 0;
  /** Whether a timer will write them. */
  isTimed = false;
  /** The rows that the last batch replaces or deletes. Only a batch that is alone has some. */
  before: Rows | undefined;
  /** Their ranges, by source. */
  readonly ranges = new Map<string, { readonly from: number; readonly to: number }>();
  readonly #state = new Map<string, StateRow>();

  /** The rows of the state that change. */
  get state(): readonly StateRow[] {
    return [...this.#state.values()];
  }

  /** Adds a batch without its rows. @param state the rows of the state that it changes */
  add(version: number, { source, from, to }: SinkBatch, state: readonly StateRow[]): void {
    this.version = version;
    this.ranges.set(source, { from: this.ranges.get(source)?.from ?? from, to });
    for (const row of state) this.#state.set(`${row.kind} ${row.number} ${row.source}`, row);
  }
}

class ClickHouseSink implements Sink {
  readonly positions: Positions;
  readonly parked: readonly ParkedChange[];
  readonly storedWriting: StoredWriting | undefined;
  readonly #options: ClickHouseSinkOptions;
  readonly #table: TargetTable;
  readonly #state: VersionState;
  readonly #closed = new AbortController();
  #waiting = new WaitingBatches();
  /** The positions in the state. */
  readonly #written = new Map<string, number>();
  /** The version of the last batch, which may still wait. */
  #version: number;
  /** The writes so far. After one has failed, the sink writes nothing more. */
  #writing: Promise<void> = Promise.resolve();

  constructor(
    options: ClickHouseSinkOptions,
    table: TargetTable,
    state: VersionState,
    {
      positions,
      committed,
      parked,
    }: {
      readonly positions: Positions;
      readonly committed: number;
      readonly parked: readonly ParkedChange[];
    },
  ) {
    this.positions = positions;
    this.parked = parked;
    this.#options = options;
    this.#table = table;
    this.#state = state;
    this.#version = committed;
    const limits = storedLimits(table.columns);
    if (limits)
      this.storedWriting = {
        limits: { rows: Math.min(options.batchSize, mostStored), blocks: 1_000_000 },
        write: async (batch) => {
          if (!(await batch.stored.isWithin(limits))) return false;
          return this.#writeStored(batch);
        },
      };
  }

  async write(batch: SinkBatch): Promise<void> {
    const { operations, rows } = batch.changes;
    const version = this.#version + 1;
    const names = this.#table.rowColumns;
    const isDeleted = (row: number): boolean => operations[row] === "d";
    const kind = { names, version, isDeleted };
    const block = rows.count === 0 ? undefined : nativeBlock(this.#table.columns, rows, kind);
    // Rows of a replay replace themselves. If the replay is interrupted, they must not be taken back.
    const replaced = batch.isReplay ? rows : replacedRows(batch.changes);
    // Readers of the table must notice that a block was undone, even if only its successor has rows.
    const isUndone = batch.ledger === undefined && !batch.isReplay;
    const isChange = replaced.count > 0 || isUndone;
    // A batch that changes what is parked waits for no others.
    if (this.#options.parks || batch.parked)
      return this.#writeAlone(batch, isChange ? replaced : undefined, block);
    // A batch may replace rows of waiting batches, so these are written first.
    if (isChange) await this.#flush();
    await this.#writing;
    const changed = await this.#changesOf(batch);
    // A timer must not write the state before the rows are there, too.
    this.#version = version;
    this.#waiting.add(version, batch, changed);
    if (block) this.#waiting.blocks.push(block);
    this.#waiting.rows += rows.count;
    if (isChange) this.#waiting.before = replaced;
    const isFinal = batch.position.open.length === 0 && !isChange;
    if (!isFinal || this.#waiting.rows >= this.#options.batchSize) await this.#flush();
    else this.#flushLater();
  }

  /**
   * Writes a batch by itself.
   * @param before the rows that it replaces or deletes, if it changes any
   * @param block its rows; absent if it has none
   * @throws SinkError; RowError for rows that the server refuses, after the others were taken back
   */
  async #writeAlone(
    batch: SinkBatch,
    before: Rows | undefined,
    block: Uint8Array | undefined,
  ): Promise<void> {
    await this.#flush();
    const version = this.#version + 1;
    const { operations, rows } = batch.changes;
    const { rowColumns: names, columns } = this.#table;
    let part = 0;
    const insert = async (chosen: readonly number[]): Promise<void> => {
      const isDeleted = (row: number): boolean => operations[chosen[row] ?? 0] === "d";
      const isWhole = block && chosen.length === rows.count;
      const bytes = isWhole
        ? block
        : nativeBlock(columns, pickRows(rows, chosen), { names, version, isDeleted });
      part += 1;
      const id = `${this.#state.token}-rows-${version}-${part}`;
      await this.#options.server.insert(insertion(this.#table), [bytes], id);
    };
    try {
      await this.#state.checkWriter();
      if (before) await this.#state.writeBefore(version, before);
      const refused = block ? await insertHalves([...Array(rows.count).keys()], insert) : [];
      const [first] = refused;
      if (first) {
        await this.#takeBack(version, before);
        throw new RowError(first.why, refused);
      }
      await this.#commit(await this.#state.changesOf(batch), version);
      this.#version = version;
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  /** Takes back the rows of a batch that is refused, as those of an interrupted one. @param version its version */
  async #takeBack(version: number, before: Rows | undefined): Promise<void> {
    const place = { committed: this.#version, reserved: version, before };
    const committed = await takeBack(this.#options.server, this.#table, place, `${this.#state.token}-`);
    await this.#state.write([], committed);
    this.#version = committed;
  }

  /**
   * Rows of final blocks are new, so none have to be restored if the insert is interrupted.
   * @returns whether they are written; if not, the server refuses some of them, and none are
   */
  async #writeStored(batch: StoredBatch): Promise<boolean> {
    await this.#flush();
    const version = this.#version + 1;
    const id = `${this.#state.token}-rows-${version}`;
    try {
      await this.#state.checkWriter();
      if (batch.ledger.rows > 0)
        await insertStored(this.#options.server, this.#table, batch.stored, version, id);
      await this.#commit(await this.#state.changesOf(batch), version);
      this.#version = version;
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw sinkErrorOf(error);
    }
    try {
      await this.#takeBack(version, undefined);
      return false;
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  /** Writes the state after the rows that it covers. */
  async #commit(state: readonly StateRow[], version: number): Promise<void> {
    await this.#state.write(state, version);
    for (const { kind, source, value } of state)
      if (kind === "position") this.#written.set(source, Number(value));
  }

  async #changesOf(batch: Omit<SinkBatch, "changes">): Promise<readonly StateRow[]> {
    try {
      return await this.#state.changesOf(batch);
    } catch (error) {
      throw sinkErrorOf(error);
    }
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
    // The caller that waited for it got the failure.
    await this.#writing.catch(() => undefined);
    await this.#options.server.close();
  }

  /** Writes the waiting batches. */
  #flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    // The next call throws the failure.
    this.#writing.catch(() => undefined);
    return this.#writing;
  }

  /** Writes the waiting batches after a time, even if no others follow. */
  #flushLater(): void {
    const { timeout, flushInterval } = this.#options;
    const waiting = this.#waiting;
    if (waiting.isTimed) return;
    waiting.isTimed = true;
    const flushing = wait(flushInterval, { timeout }, this.#closed.signal).then(() => {
      // The next call throws the failure.
      if (this.#waiting === waiting && !this.#closed.signal.aborted) this.#flush().catch(() => undefined);
    });
    inBackground(flushing, reportFailure);
  }

  async #writeWaiting(): Promise<void> {
    const { blocks, state, before, version, ranges } = this.#waiting;
    if (state.length === 0) return;
    this.#waiting = new WaitingBatches();
    const { server } = this.#options;
    const id = `${this.#state.token}-rows-${version}`;
    try {
      await this.#state.checkWriter();
      if (before) await this.#state.writeBefore(version, before);
      if (blocks.length > 0) await server.insert(insertion(this.#table), blocks, id);
      await this.#commit(state, version);
    } catch (error) {
      if (!isRefusal(error)) throw sinkErrorOf(error);
      const places = [...ranges].map(([source, { from, to }]) => `${visible(source)} ${from}-${to}`);
      throw new SinkError(
        `Rows of ${places.join(", ")} are refused: ${error.message.replace(/\.$/, "")}. Correct the table or the query, or set on_error: park to keep such rows aside.`,
        false,
        { cause: error },
      );
    }
  }
}

/** Converts a server's error to one of the sink. Returns other errors unchanged. */
export function sinkErrorOf(error: unknown): unknown {
  if (!(error instanceof ClickHouseError)) return error;
  return new SinkError(error.message, error.isTemporary, { cause: error });
}

/** The rows that changes replace or delete, as they are before. */
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
