import { holderNote, type LockHolder, readHolderNote, thisProcess } from "../../base/lock-holder.js";
import { isRecord } from "../../base/text/json-value.js";
import { type LedgerEntry, ledgerJson, readLedgerJson } from "../changes/ledger.js";
import type { Rows } from "../changes/rows.js";
import { rowsFromText, rowsText } from "../changes/rows-text.js";
import { keptBlock, keptParked, type SourceEnd, sourceChange } from "./kept-records.js";
import type { KeptLineage } from "./lineage-guard.js";
import { otherRun } from "./other-run.js";
import { type ParkedChange, parkedText } from "./parked-change.js";
import type { Positions, SinkBatch } from "./sink-batch.js";
import { SinkError, wentBack } from "./sink-error.js";
import type { StateOwner } from "./state-store.js";
import type { StateRow, VersionedRows } from "./versions.js";

/** How far a sink was written. Versions number the rows of the sink, not the rows of the state. */
export interface VersionedPlace {
  readonly positions: Positions;
  /** The positions cover all versions up to this one. */
  readonly committed: number;
  /** The sink has given its rows no later version. */
  readonly reserved: number;
  /** The rows that the batch after the committed ones replaces or deletes, as they were. */
  readonly before: Rows | undefined;
}

/** The note of the last writer of a sink. */
interface Writer extends Pick<VersionedPlace, "committed" | "reserved"> {
  /** Differs for each process. */
  readonly token: string;
  readonly holder: LockHolder | undefined;
}

/** How many versions a writer reserves at a time. */
const versionsAtOnce = 1_000_000;

/** Each writer has a range of serial numbers, so that late writes of the previous one are ignored. */
const serialsOfWriter = 1_000_000_000;

/**
 * The state of a sink in a database without transactions: positions, rows of open blocks, the ledger, parked changes, and
 * the rows that the batch in progress replaces. Everything that belongs together is written at once, after the rows of the sink.
 */
export class VersionState {
  /** Says which process writes. */
  readonly token: string;
  readonly #rows: VersionedRows;
  readonly #owner: StateOwner;
  /** When this run began, in milliseconds since the Unix epoch. */
  readonly #began: number;
  readonly #ends = new Map<string, SourceEnd>();
  #serial = 0;
  /** The committed version that this process wrote last. */
  #committed = 0;

  constructor(
    rows: VersionedRows,
    owner: StateOwner,
    run: { readonly token: string; readonly began: number },
  ) {
    this.#rows = rows;
    this.#owner = owner;
    this.token = run.token;
    this.#began = run.began;
  }

  /** Makes sure that there is a table for the state. */
  prepare(): Promise<void> {
    return this.#rows.prepare();
  }

  /** Whether there is a table for the state. */
  exists(): Promise<boolean> {
    return this.#rows.exist();
  }

  /** Forgets everything. Call it before you create the table of the sink. */
  forget(): Promise<void> {
    return this.#rows.delete();
  }

  /** Forgets how far sources were written, for a table that the sink keeps. Versions continue to rise. */
  forgetSources(): Promise<void> {
    return this.#rows.delete(["position", "block", "ledger", "parked"]);
  }

  /** The changes that are kept aside, in their order. @throws SinkError if one cannot be read */
  async parked(): Promise<readonly ParkedChange[]> {
    const rows = await this.#rows.read(["parked"]);
    return rows.map(({ value }) => keptParked(String(value), this.#owner.columns));
  }

  /**
   * How far the sink was written; `undefined` if no process has opened it for writing.
   * @throws SinkError if the state cannot be read
   */
  async read(): Promise<VersionedPlace | undefined> {
    const rows = await this.#rows.read(["writer", "position", "block", "before"]);
    await this.#takeSerials();
    const of = (kind: StateRow["kind"]): readonly StateRow[] => rows.filter((row) => row.kind === kind);
    const [writer] = of("writer").map(writerOf);
    if (!writer) return undefined;
    const { columns } = this.#owner;
    const open = of("block").map(({ source, number, value }) => {
      const { hash, rows: text } = fieldsOf(value);
      return {
        source,
        block: keptBlock(source, { number, hash: String(hash), text: String(text) }, columns),
      };
    });
    const positions = of("position").map(({ source, value }) => {
      const next = Number(value);
      const own = open.filter((one) => one.source === source && one.block.number < next);
      return [source, { next, open: own.map(({ block }) => block) }] as const;
    });
    const { committed, reserved } = writer;
    const [before] = of("before").map(({ value }) => this.#rowsAfter(committed, value));
    return { positions: new Map(positions), committed, reserved, before };
  }

  /** The whole ledger of a source, in order. @throws SinkError if it cannot be read */
  async ledger(source: string): Promise<readonly LedgerEntry[]> {
    const rows = await this.#rows.read(["ledger"], source);
    return rows.map(({ number, value }) => {
      const entry = readLedgerJson(isRecord(value) && { ...value, from: number });
      if (!entry) throw unreadable(`the ledger of source ${source}`);
      return entry;
    });
  }

  /**
   * Takes the sink over from earlier writers.
   * @param committed the last version that rows have
   */
  async takeOver(positions: Positions, committed: number, others: readonly StateRow[] = []): Promise<void> {
    const rows = [...positions].map(([source, { next }]) => positionRow(source, next));
    await this.write([...rows, ...others], committed);
    for (const [source, { open }] of positions)
      this.#ends.set(source, { open, tail: await this.ledger(source) });
  }

  /** The last version that rows may have. Works even if the open blocks cannot be read. */
  async lastVersion(): Promise<number> {
    await this.#takeSerials();
    return (await this.#writer())?.reserved ?? 0;
  }

  /** What the rows are computed from, and whether the sink has created its table. */
  async lineage(): Promise<KeptLineage & { readonly isMade: boolean }> {
    const rows = await this.#rows.read(["lineage", "position"]);
    const { text, isMade } = fieldsOf(rows.find(({ kind }) => kind === "lineage")?.value);
    return {
      text: typeof text === "string" ? text : undefined,
      isWritten: rows.some(({ kind }) => kind === "position"),
      isMade: isMade === true,
    };
  }

  /**
   * The rows of the state that a batch changes. The next call assumes that these were written.
   * @throws SinkError if the state cannot be read
   */
  async changesOf(batch: Omit<SinkBatch, "changes">): Promise<readonly StateRow[]> {
    const { source, position, isReturn, parked } = batch;
    const before = isReturn ? await this.ledger(source) : undefined;
    const { blocks, ledger, end } = sourceChange(this.#ends.get(source), batch, before);
    this.#ends.set(source, end);
    const row = (kind: "block" | "ledger", number: number, value?: unknown): StateRow => ({
      kind,
      source,
      number,
      value,
    });
    return [
      positionRow(source, position.next),
      ...blocks.gone.map((number) => row("block", number)),
      ...blocks.added.map(({ number, hash, rows }) => row("block", number, { hash, rows: rowsText(rows) })),
      ...ledger.drop.map((from) => row("ledger", from)),
      ...ledger.put.map((entry) => ledgerRow(source, entry)),
      ...(parked?.removed ?? []).map((number) => parkedRow(number)),
      ...(parked?.put ?? []).map((change) => parkedRow(change.number, parkedText(change))),
    ];
  }

  /** Writes all of the rows or none of them. @param committed the last version that rows of the sink have */
  async write(rows: readonly StateRow[], committed: number): Promise<void> {
    const value = {
      token: this.token,
      committed,
      reserved: committed + versionsAtOnce,
      ...holderNote({ ...thisProcess(), since: new Date(this.#began) }),
    };
    await this.#write([...rows, { kind: "writer", source: "", number: 0, value }]);
    this.#committed = committed;
  }

  /** Keeps rows as they are before a batch replaces or deletes them. @param version the first one of the batch */
  async writeBefore(version: number, rows: Rows): Promise<void> {
    const value = { version, rows: rowsText(rows) };
    await this.#write([{ kind: "before", source: "", number: 0, value }]);
  }

  /** @throws SinkError if another process has taken the sink over, or the database has lost what this one wrote */
  async checkWriter(): Promise<void> {
    const writer = await this.#writer();
    const isOurs = writer?.token === this.token;
    if (isOurs && writer.committed >= this.#committed) return;
    if (isOurs || (await this.#rows.lastSerial()) < this.#serial) throw wentBack("sink's database");
    throw otherRun(this.#owner, writer?.holder);
  }

  async #write(rows: readonly StateRow[]): Promise<void> {
    this.#serial += 1;
    await this.#rows.write(rows, this.#serial, `${this.token}-state-${this.#serial}`);
  }

  async #takeSerials(): Promise<void> {
    const last = await this.#rows.lastSerial();
    this.#serial = (Math.floor(last / serialsOfWriter) + 1) * serialsOfWriter;
  }

  async #writer(): Promise<Writer | undefined> {
    const [row] = await this.#rows.read(["writer"]);
    return row && writerOf(row);
  }

  #rowsAfter(committed: number, value: unknown): Rows | undefined {
    const { version, rows: text } = fieldsOf(value);
    if (!(Number(version) > committed)) return undefined;
    const rows = rowsFromText(String(text), this.#owner.columns);
    if (!rows) throw unreadable("rows of an interrupted batch");
    return rows;
  }
}

/** The row that says what the rows of a sink are computed from. @param isMade whether the sink has created its table */
export function lineageRow(text: string | undefined, isMade: boolean): StateRow {
  return { kind: "lineage", source: "", number: 0, value: { text, isMade } };
}

/** The row that says where a source continues. */
export function positionRow(source: string, next: number): StateRow {
  return { kind: "position", source, number: 0, value: next };
}

/** The row of an entry of the ledger. It replaces one that begins at the same place. */
export function ledgerRow(source: string, entry: LedgerEntry): StateRow {
  return { kind: "ledger", source, number: entry.from, value: ledgerJson(entry) };
}

/** The row of a parked change. @param text by parkedText; absent if it is no longer parked */
function parkedRow(number: number, text?: string): StateRow {
  return { kind: "parked", source: "", number, value: text };
}

/** The fields of a JSON object; none of another value. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function writerOf({ value }: StateRow): Writer {
  if (!isRecord(value)) throw unreadable("who writes");
  return {
    token: String(value.token),
    committed: Number(value.committed),
    reserved: Number(value.reserved),
    holder: readHolderNote(value),
  };
}

function unreadable(what: string): SinkError {
  return new SinkError(
    `The database keeps ${what} in another form than the pipeline has now. Give the pipeline another name and table, or restore its definition.`,
    false,
  );
}
