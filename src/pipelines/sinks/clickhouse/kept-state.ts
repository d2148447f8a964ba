import { type HolderNote, holderNote, readHolderNote, thisProcess } from "../../../base/lock-holder.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import type { Rows } from "../../changes/rows.js";
import { rowsFromText, rowsText } from "../../changes/rows-text.js";
import type { RowColumn } from "../../changes/schema.js";
import type { KeptLineage } from "../../state/lineage-guard.js";
import { otherRun } from "../../state/other-run.js";
import type { Positions, WrittenBlock } from "../../state/sink-batch.js";
import { SinkError, wentBack } from "../../state/sink-error.js";
import { type ClickHouse, type ClickHouseRow, quotedName } from "../clickhouse-server.js";
import { ByteWriter } from "./byte-writer.js";
import { hasTable, quotedTable, type TableName } from "./target-table.js";

/** Whose state is kept. */
export interface StateOwner {
  readonly flow: string;
  readonly sink: string;
  /** The table that is written: rows of another one are at another place. */
  readonly table: TableName;
  /** The columns of the rows that the sink takes. */
  readonly columns: readonly RowColumn[];
}

/** Where a sink is. */
export interface KeptState {
  readonly positions: Positions;
  /** Every version up to this one belongs to a batch whose position is kept. */
  readonly committed: number;
  /** No row of ours has a version after this one. */
  readonly reserved: number;
  /** What the rows were that the batch after the committed ones replaces or deletes. */
  readonly before: Rows | undefined;
}

/** A row of the table of states. */
export interface StateRow {
  readonly kind: "writer" | "position" | "block" | "ledger" | "before" | "lineage";
  readonly source: string;
  /** The block, or the first block of a ledger's entry. */
  readonly number: number;
  /** JSON; `undefined` for a row that is gone. */
  readonly value: unknown;
}

/** What the last writer of a sink has noted. */
interface WriterNote extends HolderNote {
  /** Which process it is. */
  readonly token: string;
  readonly committed: number;
  readonly reserved: number;
}

/** The table, in the database of the rows. */
export const stateTableName = "graphloom_flow_states";

/** Versions that a writer takes at a time. */
const versionsAtOnce = 1_000_000;

/** Serial numbers of a writer, before those of the next one: what a writer that was overtaken still writes is ignored. */
const serialsOfWriter = 1_000_000_000;

const ofOwner = "flow = {flow:String} AND sink = {sink:String} AND target = {target:String}";
const ofLedger = `${ofOwner} AND kind = 'ledger' AND source = {source:String}`;

/**
 * Where a sink is: the positions of its sources, the rows of blocks that may still be replaced, and the ledger. Everything
 * that belongs together is one insert of one block, which ClickHouse writes whole or not at all. Rows that are written
 * again replace earlier ones by a serial number.
 */
export class StateTable {
  readonly #server: ClickHouse;
  readonly #owner: StateOwner;
  readonly #table: string;
  /** Which process writes, different for each. */
  readonly token: string;
  /** When this run began, in milliseconds since the Unix epoch. */
  readonly #began: number;
  #serial = 0;

  constructor(
    server: ClickHouse,
    owner: StateOwner,
    run: { readonly token: string; readonly began: number },
  ) {
    this.#server = server;
    this.#owner = owner;
    this.#table = quotedTable({ database: owner.table.database, name: stateTableName });
    this.token = run.token;
    this.#began = run.began;
  }

  /** Makes sure that the table is there. */
  async prepare(): Promise<void> {
    await this.#server.run(`CREATE DATABASE IF NOT EXISTS ${quotedName(this.#owner.table.database)}`);
    await this.#server.run(
      `CREATE TABLE IF NOT EXISTS ${this.#table} (
        flow String, sink String, target String, kind String, source String, number UInt64,
        value String, serial UInt64, is_deleted UInt8)
        ENGINE = ReplacingMergeTree(serial, is_deleted) ORDER BY (flow, sink, target, kind, source, number)`,
    );
  }

  /** Whether anybody has ever kept something. */
  exists(): Promise<boolean> {
    return hasTable(this.#server, { database: this.#owner.table.database, name: stateTableName });
  }

  /** Forgets everything, before a table that is not there is created. */
  forget(): Promise<void> {
    return this.#forget(ofOwner);
  }

  /** Forgets how far sources were written into a table that stays the sink's. Versions go on from where they are. */
  forgetSources(): Promise<void> {
    return this.#forget(`${ofOwner} AND kind IN ('position', 'block', 'ledger')`);
  }

  async #forget(condition: string): Promise<void> {
    await this.#server.run(
      `INSERT INTO ${this.#table} SELECT flow, sink, target, kind, source, number, '', serial + 1, 1
        FROM ${this.#table} FINAL WHERE ${condition}`,
      this.#parameters,
    );
  }

  /**
   * What is kept; `undefined` if nothing is, which is different from a sink that has written nothing yet.
   * @throws SinkError if it cannot be read
   */
  async read(): Promise<KeptState | undefined> {
    const rows = await this.#server.query(
      `SELECT kind, source, number, value FROM ${this.#table} FINAL
        WHERE ${ofOwner} AND kind != 'ledger' ORDER BY number`,
      this.#parameters,
    );
    this.#serial = (Math.floor((await this.#lastSerial()) / serialsOfWriter) + 1) * serialsOfWriter;
    const of = (kind: StateRow["kind"]): readonly ClickHouseRow[] => rows.filter((row) => row.kind === kind);
    const [writer] = of("writer");
    if (!writer) return undefined;
    const { committed, reserved } = noteOf(writer);
    const open = of("block").map((row) => ({ source: String(row.source), block: this.#block(row) }));
    const positions = of("position").map(({ source, value }) => {
      const next = Number(value);
      const own = open.filter((one) => one.source === source && one.block.number < next);
      return [String(source), { next, open: own.map(({ block }) => block) }] as const;
    });
    const [before] = of("before");
    return {
      positions: new Map(positions),
      committed,
      reserved,
      before: before && this.#rowsAfter(before, committed),
    };
  }

  /** The whole ledger of a source, in order. */
  ledger(source: string): Promise<readonly LedgerEntry[]> {
    return this.#entries(source, "", {});
  }

  /** The entries that a later write can change: those of blocks that may be undone, and the last one before. */
  ledgerTail(source: string, settled: number): Promise<readonly LedgerEntry[]> {
    const before = `SELECT max(number) FROM ${this.#table} FINAL WHERE ${ofLedger} AND number < {settled:UInt64}`;
    return this.#entries(source, `AND number >= (${before})`, { settled: String(settled) });
  }

  /** Takes over from earlier writers. @param committed the last version whose rows are written */
  async takeOver(positions: Positions, committed: number, others: readonly StateRow[] = []): Promise<void> {
    const rows = [...positions].map(([source, { next }]) => positionRow(source, next));
    await this.write([...rows, ...others], committed);
  }

  /** The last version that rows may have. What is kept of open blocks is not read. */
  async lastVersion(): Promise<number> {
    this.#serial = (Math.floor((await this.#lastSerial()) / serialsOfWriter) + 1) * serialsOfWriter;
    const [writer] = await this.#server.query(
      `SELECT value FROM ${this.#table} FINAL WHERE ${ofOwner} AND kind = 'writer'`,
      this.#parameters,
    );
    return writer ? noteOf(writer).reserved : 0;
  }

  /** What is kept about where rows come from, and whether the sink has made the table. */
  async lineage(): Promise<KeptLineage & { readonly isMade: boolean }> {
    const rows = await this.#server.query(
      `SELECT kind, value FROM ${this.#table} FINAL WHERE ${ofOwner} AND kind IN ('lineage', 'position')`,
      this.#parameters,
    );
    const kept = parseJson(String(rows.find(({ kind }) => kind === "lineage")?.value ?? "null"));
    const isWritten = rows.some(({ kind }) => kind === "position");
    if (!isRecord(kept)) return { text: undefined, isWritten, isMade: false };
    const text = typeof kept.text === "string" ? kept.text : undefined;
    return { text, isWritten, isMade: kept.isMade === true };
  }

  /**
   * Notes that this process has come further. Everything is kept, or nothing.
   * @param committed the last version whose rows are written
   */
  async write(rows: readonly StateRow[], committed: number): Promise<void> {
    this.#serial += 1;
    const note: WriterNote = {
      token: this.token,
      committed,
      reserved: committed + versionsAtOnce,
      ...holderNote({ ...thisProcess(), since: new Date(this.#began) }),
    };
    await this.#insert([...rows, { kind: "writer", source: "", number: 0, value: note }]);
  }

  /** Keeps what rows were, before the batch that begins with a version replaces or deletes them. */
  async writeBefore(version: number, rows: Rows): Promise<void> {
    this.#serial += 1;
    await this.#insert([{ kind: "before", source: "", number: 0, value: { version, rows: rowsText(rows) } }]);
  }

  /** @throws SinkError if another process has begun to write */
  async checkWriter(): Promise<void> {
    const rows = await this.#server.query(
      `SELECT value FROM ${this.#table} FINAL WHERE ${ofOwner} AND kind = 'writer'`,
      this.#parameters,
    );
    const [writer] = rows;
    if (writer && noteOf(writer).token === this.token) return;
    if ((await this.#lastSerial()) < this.#serial) throw wentBack("sink's database");
    throw otherRun(this.#owner, writer && readHolderNote(parseJson(String(writer.value))));
  }

  async #entries(
    source: string,
    condition: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<readonly LedgerEntry[]> {
    const rows = await this.#server.query(
      `SELECT number, value FROM ${this.#table} FINAL WHERE ${ofLedger} ${condition} ORDER BY number`,
      { ...this.#parameters, source, ...parameters },
    );
    return rows.map(({ number, value }) => {
      const entry = parseJson(String(value));
      if (!isRecord(entry)) throw unreadable(`the ledger of source ${source}`);
      const { to, rows: count, sum } = entry;
      return { from: Number(number), to: Number(to), rows: Number(count), sum: BigInt(String(sum)) };
    });
  }

  get #parameters(): Readonly<Record<string, string>> {
    const { flow, sink, table } = this.#owner;
    return { flow, sink, target: table.name };
  }

  /** The serial numbers of rows that are gone count as well. */
  async #lastSerial(): Promise<number> {
    const [row] = await this.#server.query(
      `SELECT toString(max(serial)) AS serial FROM ${this.#table} WHERE ${ofOwner}`,
      this.#parameters,
    );
    return Number(row?.serial ?? 0);
  }

  async #insert(rows: readonly StateRow[]): Promise<void> {
    const { flow, sink, target } = this.#parameters as Readonly<Record<"flow" | "sink" | "target", string>>;
    const texts: Readonly<Record<string, (row: StateRow) => string>> = {
      flow: () => flow,
      sink: () => sink,
      target: () => target,
      kind: ({ kind }) => kind,
      source: ({ source }) => source,
      value: ({ value }) => (value === undefined ? "" : JSON.stringify(value)),
    };
    const numbers: Readonly<Record<string, (row: StateRow) => number>> = {
      number: ({ number }) => number,
      serial: () => this.#serial,
      is_deleted: ({ value }) => (value === undefined ? 1 : 0),
    };
    const block = new ByteWriter();
    block.varint(Object.keys(texts).length + Object.keys(numbers).length);
    block.varint(rows.length);
    for (const [name, cellOf] of Object.entries(texts)) {
      block.text(name);
      block.text("String");
      for (const row of rows) block.text(cellOf(row));
    }
    for (const [name, cellOf] of Object.entries(numbers)) {
      block.text(name);
      block.text("UInt64");
      for (const row of rows) block.count(cellOf(row), 64);
    }
    const names = [...Object.keys(texts), ...Object.keys(numbers)].join(", ");
    await this.#server.insert(
      `INSERT INTO ${this.#table} (${names}) FORMAT Native`,
      [block.end()],
      `${this.token}-state-${this.#serial}`,
    );
  }

  #block({ source, number, value }: ClickHouseRow): WrittenBlock {
    const kept = parseJson(String(value));
    const rows =
      isRecord(kept) && typeof kept.rows === "string"
        ? rowsFromText(kept.rows, this.#owner.columns)
        : undefined;
    if (!rows || !isRecord(kept))
      throw unreadable(`rows of block ${String(number)} of source ${String(source)}`);
    return { number: Number(number), hash: String(kept.hash), rows };
  }

  #rowsAfter({ value }: ClickHouseRow, committed: number): Rows | undefined {
    const kept = parseJson(String(value));
    if (!isRecord(kept) || Number(kept.version) <= committed) return undefined;
    const rows = rowsFromText(String(kept.rows), this.#owner.columns);
    if (!rows) throw unreadable("rows of an interrupted batch");
    return rows;
  }
}

/** The row that says where rows come from. @param isMade whether the sink has made the table */
export function lineageRow(text: string | undefined, isMade: boolean): StateRow {
  return { kind: "lineage", source: "", number: 0, value: { text, isMade } };
}

/** The row that says where a source continues. */
export function positionRow(source: string, next: number): StateRow {
  return { kind: "position", source, number: 0, value: next };
}

function noteOf({ value }: ClickHouseRow): Omit<WriterNote, keyof HolderNote> {
  const note = parseJson(String(value));
  if (!isRecord(note)) throw unreadable("who writes");
  return {
    token: String(note.token),
    committed: Number(note.committed),
    reserved: Number(note.reserved),
  };
}

function unreadable(what: string): SinkError {
  return new SinkError(
    `The database keeps ${what} in another form than the pipeline has now. Give the pipeline another name and table, or restore its definition.`,
    false,
  );
}
