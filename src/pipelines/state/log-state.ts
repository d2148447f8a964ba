import { changedLedger } from "../changes/kept-ledger.js";
import type { LedgerEntry } from "../changes/ledger.js";
import type { Operation } from "../changes/net-changes.js";
import { joinRows, pickRows, type Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import { keptParked } from "./kept-records.js";
import {
  batchRecords,
  changesOf,
  entryOf,
  type HeaderRecord,
  ledgerEntryOf,
  moved,
  moveOf,
  parkedUpdateOf,
  readHeader,
  readRecord,
  type StateRecord,
} from "./log-records.js";
import { type ParkedChange, type ParkedUpdate, parkedText, updatedParked } from "./parked-change.js";
import { settledBefore, type WrittenPosition } from "./sink-batch.js";
import type { KeptBatch, KeptState, StateOwner } from "./state-store.js";

/** Batches that are being sent. */
interface Begun {
  readonly batches: readonly KeptBatch[];
  readonly first: number;
  readonly count: number;
}

/** The state of a sink in memory, built from the records of its journal. */
export class LogState {
  #header: HeaderRecord;
  #columns: readonly RowColumn[];
  #lineage: string | undefined;
  /** Whether its columns differ from those in the journal's header. */
  isReshaped = false;
  readonly #positions = new Map<string, WrittenPosition>();
  readonly #ledgers = new Map<string, LedgerEntry[]>();
  #parked: readonly ParkedChange[] = [];
  /** The number of the next change. */
  #next = 1;
  #begun: Begun | undefined;
  #arrived = 0;

  private constructor(header: HeaderRecord, columns: readonly RowColumn[]) {
    this.#header = header;
    this.#columns = columns;
  }

  get header(): HeaderRecord {
    return this.#header;
  }

  /** @param id differs from that of every other state */
  static create({ flow, sink, columns }: StateOwner, id: string): LogState {
    const named = columns.map(({ name, type }) => ({ name, type }));
    const header = { kind: "flow state 1", id, flow, sink, columns: named } as const;
    return new LogState(header, columns);
  }

  /**
   * Builds the state of a sink from its records. The sink may have other columns than before if the state keeps no rows.
   * @param columns the columns of the sink; without them, the state may have any
   * @returns `undefined` if the state keeps rows that have other columns
   * @throws StrangeRecord
   */
  static of(records: readonly unknown[], columns: readonly RowColumn[] | undefined): LogState | undefined {
    const header = readHeader(records[0]);
    const named = columns?.map(({ name, type }) => ({ name, type }));
    const isSame = JSON.stringify(header.columns) === JSON.stringify(named);
    if (columns && isSame) return LogState.from(records, columns);
    const kept = header.columns.map((column) => ({ ...column, nullable: true }));
    const state = LogState.from(records, kept);
    if (!columns || !named) return state;
    const isHeld = [...state.#positions.values()].some(({ open }) => open.length > 0);
    if (isHeld || state.#begun || state.#parked.length > 0) return undefined;
    state.#header = { ...state.#header, columns: named };
    state.#columns = columns;
    state.isReshaped = true;
    return state;
  }

  /**
   * Builds the state from its records.
   * @param columns the columns in the header
   * @throws StrangeRecord
   */
  static from([first, ...others]: readonly unknown[], columns: readonly RowColumn[]): LogState {
    const state = new LogState(readHeader(first), columns);
    const reading = new Reading(state.#positions, columns);
    for (const record of others) state.#take(readRecord(record), reading);
    return state;
  }

  get kept(): KeptState {
    return {
      id: this.header.id,
      lineage: this.#lineage,
      last: this.#next - 1,
      positions: new Map(this.#positions),
      parked: this.#parked,
      unfinished: this.#begun === undefined ? [] : withoutArrived(this.#begun, this.#arrived),
    };
  }

  /** The number of the next change, after all that were begun. */
  get next(): number {
    return this.#next;
  }

  /** The number of the first change that was begun and has not arrived, or else of the next change. */
  get firstOpen(): number {
    return this.#begun === undefined ? this.#next : Math.max(this.#begun.first, this.#arrived + 1);
  }

  ledger(source: string): readonly LedgerEntry[] {
    return this.#ledgers.get(source) ?? [];
  }

  /** The records of batches that begin. @param first the number of their first change */
  *recordsOf(batches: readonly KeptBatch[], first: number): Generator<StateRecord, void, void> {
    const positions = new Map(this.#positions);
    let count = 0;
    yield { kind: "batches" };
    for (const batch of batches) {
      yield* batchRecords(batch, positions.get(batch.source));
      positions.set(batch.source, batch.position);
      count += batch.changes.rows.count;
    }
    yield { kind: "begin", first, count };
  }

  /** The fewest records that say what the state is. */
  *records(): Generator<object, void, void> {
    yield this.header;
    for (const [source, entries] of this.#ledgers)
      for (const entry of entries) yield { kind: "entry", source, entry: entryOf(entry) };
    for (const [source, position] of this.#positions)
      yield { kind: "position", source, move: moveOf(position, undefined) };
    for (const change of this.#parked) yield { kind: "parked", text: parkedText(change) };
    yield { kind: "next", number: this.firstOpen };
    if (this.#lineage !== undefined) yield { kind: "lineage", text: this.#lineage };
    if (this.#begun) {
      const batches = withoutArrived(this.#begun, this.#arrived);
      yield* this.recordsOf(batches, this.firstOpen);
    }
  }

  keepLineage(text: string): void {
    this.#lineage = text;
  }

  begin(batches: readonly KeptBatch[], first: number): void {
    const count = batches.reduce((sum, { changes }) => sum + changes.rows.count, 0);
    this.#begun = { batches, first, count };
    this.#arrived = first - 1;
    this.#next = first + count;
  }

  arrive(last: number): void {
    this.#arrived = last;
  }

  /** @param parked how parked changes differ now, instead of how the batches say */
  finish(parked?: ParkedUpdate): void {
    const batches = this.#begun?.batches ?? [];
    const updates = parked ? [parked] : batches.flatMap((batch) => batch.parked ?? []);
    for (const update of updates) this.#parked = updatedParked(this.#parked, update);
    for (const { source, from, position, ledger } of batches) {
      this.#positions.set(source, position);
      const range = { from, entry: ledger, settled: settledBefore(position) };
      this.#ledgers.set(source, changedLedger(this.#entriesOf(source), range));
    }
    this.#begun = undefined;
  }

  /** Puts an entry into the ledger of a source. It replaces one that begins at the same place. */
  correct(source: string, entry: LedgerEntry): void {
    const others = this.ledger(source).filter(({ from }) => from !== entry.from);
    const sorted = [...others, entry].sort((one, other) => one.from - other.from);
    this.#ledgers.set(source, sorted);
  }

  /** Forgets how far sources were written, and the batches that were begun. */
  forget(): void {
    this.#positions.clear();
    this.#ledgers.clear();
    this.#parked = [];
    this.#begun = undefined;
  }

  #entriesOf(source: string): LedgerEntry[] {
    const found = this.#ledgers.get(source) ?? [];
    this.#ledgers.set(source, found);
    return found;
  }

  /** In a rewritten journal, entries follow in their order. A later one corrects an existing entry. */
  #addEntry(source: string, entry: LedgerEntry): void {
    const entries = this.#entriesOf(source);
    const last = entries.at(-1);
    if (last === undefined || last.from < entry.from) entries.push(entry);
    else this.correct(source, entry);
  }

  #take(record: StateRecord, reading: Reading): void {
    switch (record.kind) {
      case "batches":
        reading.start();
        break;
      case "changes":
        reading.addChanges(record);
        break;
      case "batch":
        reading.addBatch(record);
        break;
      case "begin":
        this.begin(reading.batches, record.first);
        break;
      case "arrived":
        this.arrive(record.last);
        break;
      case "finish":
        this.finish(record.parked && parkedUpdateOf(record.parked, this.#columns));
        break;
      case "parked":
        this.#parked = [...this.#parked, keptParked(record.text, this.#columns)];
        break;
      case "position":
        this.#positions.set(record.source, moved(record.move, undefined, this.#columns));
        break;
      case "entry":
        this.#addEntry(record.source, ledgerEntryOf(record.entry));
        break;
      case "next":
        this.#next = record.number;
        break;
      case "lineage":
        this.#lineage = record.text;
    }
  }
}

/** Collects batches while their records are read. */
class Reading {
  readonly #finished: ReadonlyMap<string, WrittenPosition>;
  readonly #columns: readonly RowColumn[];
  #positions = new Map<string, WrittenPosition>();
  #batches: KeptBatch[] = [];
  #operations: Operation[] = [];
  #rows: Rows[] = [];

  /** @param finished the positions of finished batches, as they are at each time */
  constructor(finished: ReadonlyMap<string, WrittenPosition>, columns: readonly RowColumn[]) {
    this.#finished = finished;
    this.#columns = columns;
  }

  /** The next batches start from the finished positions. */
  start(): void {
    this.#batches = [];
    this.#operations = [];
    this.#rows = [];
    this.#positions = new Map();
  }

  addChanges(record: Extract<StateRecord, { readonly kind: "changes" }>): void {
    const { operations, rows } = changesOf(record, this.#columns);
    for (const operation of operations) this.#operations.push(operation);
    this.#rows.push(rows);
  }

  addBatch({
    source,
    from,
    to,
    move,
    entry,
    replay,
    parked,
  }: Extract<StateRecord, { readonly kind: "batch" }>): void {
    const before = this.#positions.get(source) ?? this.#finished.get(source);
    const position = moved(move, before, this.#columns);
    this.#positions.set(source, position);
    const rows = joinRows(this.#rows, this.#columns.length);
    this.#batches.push({
      source,
      from,
      to,
      position,
      changes: { operations: this.#operations, rows },
      ledger: entry === null ? undefined : ledgerEntryOf(entry),
      ...(replay && { isReplay: true }),
      ...(parked && { parked: parkedUpdateOf(parked, this.#columns) }),
    });
    this.#operations = [];
    this.#rows = [];
  }

  /** All batches since the start. */
  get batches(): readonly KeptBatch[] {
    return this.#batches;
  }
}

/** The batches without the changes that have arrived. */
function withoutArrived({ batches, first }: Begun, arrived: number): readonly KeptBatch[] {
  let gone = Math.max(0, arrived + 1 - first);
  return batches.map((batch) => {
    const { operations, rows } = batch.changes;
    const some = Math.min(gone, rows.count);
    gone -= some;
    return some === 0 ? batch : { ...batch, changes: withoutFirst(some, operations, rows) };
  });
}

function withoutFirst(count: number, operations: readonly Operation[], rows: Rows): KeptBatch["changes"] {
  const rest = Array.from({ length: rows.count - count }, (_, index) => count + index);
  return { operations: operations.slice(count), rows: pickRows(rows, rest) };
}
