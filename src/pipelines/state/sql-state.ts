import { thisProcess } from "../../base/lock-holder.js";
import {
  joinFragments,
  type Row,
  SQL,
  type SqlFragment,
  uncheckedSql,
} from "../../store/database/database.js";
import { updateLedger, type WrittenRange } from "../changes/kept-ledger.js";
import type { LedgerEntry } from "../changes/ledger.js";
import { rowsText } from "../changes/rows-text.js";
import { blockChanges, keptBlock, keptParked, lastWrite, strangePosition } from "./kept-records.js";
import type { KeptLineage } from "./lineage-guard.js";
import { type ParkedChange, type ParkedUpdate, parkedText } from "./parked-change.js";
import {
  type Positions,
  type SinkBatch,
  settledBefore,
  type WrittenBlock,
  type WrittenPosition,
} from "./sink-batch.js";
import type { SinkError } from "./sink-error.js";
import {
  type Assignments,
  type Bind,
  type SqlDialect,
  type SqlPlace,
  type SqlStateOwner,
  type StateTable,
  stateTables,
} from "./sql.js";

/** What the database holds for a source. */
interface KeptSource {
  /** How often its position has been written. */
  readonly version: bigint;
  readonly open: readonly WrittenBlock[];
  /** The end of its ledger. */
  readonly tail: readonly LedgerEntry[];
}

/** What the database holds for a source, with its whole ledger. */
export interface SourceState {
  readonly position: WrittenPosition;
  /** Entries in order. */
  readonly ledger: readonly LedgerEntry[];
}

/** No source has this name: it says that the table is the sink's although none has been written. */
const claim = "";

/**
 * How far each source has been written, its ledger, and the changes that were kept aside. They are in the database of the
 * table and are written in the same transaction, so that all of them agree. Blocks that may still be replaced are kept with
 * their rows.
 *
 * Each method runs its statements in the given session and throws what the database throws.
 */
export class SqlState<Session> {
  readonly #dialect: SqlDialect<Session>;
  readonly #owner: SqlStateOwner;
  readonly #kept = new Map<string, KeptSource>();
  /** What the database holds once the open transaction is committed. */
  readonly #next = new Map<string, KeptSource>();
  /** Sources whose writer is this process. */
  readonly #named = new Set<string>();
  #isClaimed = false;

  constructor(dialect: SqlDialect<Session>, owner: SqlStateOwner) {
    this.#dialect = dialect;
    this.#owner = owner;
  }

  /** Makes sure that there are tables for the state. */
  async prepare(session: Session): Promise<void> {
    await this.#dialect.prepare(session);
  }

  /** Whether rows of the table are the sink's although no source has been written: their positions were forgotten. */
  get isClaimed(): boolean {
    return this.#isClaimed;
  }

  /** Forgets what was written into a table that stays the sink's. Call it within a transaction. */
  async begin(session: Session): Promise<void> {
    await this.#forgetSources(session);
    await this.#addPosition(session, claim, 0);
  }

  /** Forgets what was written into a table that is gone. Call it within a transaction. */
  async forget(session: Session): Promise<void> {
    await this.#forgetSources(session);
    await this.#deleteFrom(session, "lineages");
  }

  async #forgetSources(session: Session): Promise<void> {
    for (const table of stateTables) if (table !== "lineages") await this.#deleteFrom(session, table);
  }

  /** What is kept about where rows come from; nothing in a database of an earlier version. */
  async lineage(session: Session): Promise<KeptLineage> {
    const { table } = this.#dialect;
    if (!(await this.#dialect.hasTable(session, "lineages"))) return { text: undefined, isWritten: false };
    const [row] = await this.#dialect.query(
      session,
      (bind) => SQL`select (select lineage from ${table("lineages")} where ${this.#own(bind)}) as lineage,
        case when exists (select 1 from ${table("positions")} where ${this.#own(bind)} and source <> '') then 1 else 0 end as written`,
    );
    return { text: row?.lineage ?? undefined, isWritten: row?.written === "1" };
  }

  /** Keeps where rows come from. */
  async keepLineage(session: Session, text: string): Promise<void> {
    await this.#upsert(session, "lineages", (bind) => [
      { key: this.#key(bind), values: [[SQL`lineage`, bind(text)]] },
    ]);
  }

  /** Notes that the sink has made a table. @param table that of the rows by default */
  async made(session: Session, table = this.#owner.table): Promise<void> {
    const place = { ...this.#owner, table };
    await this.#upsert(session, "lineages", (bind) => [
      { key: this.#key(bind, place), values: [this.#dialect.made(place, bind)] },
    ]);
  }

  /** Whether the sink has made a table. @param table that of the rows by default */
  async isMade(session: Session, table = this.#owner.table): Promise<boolean> {
    const place = { ...this.#owner, table };
    const rows = await this.#dialect.query(session, (bind) => {
      const isIt = and([this.#own(bind, place), equal(this.#dialect.made(place, bind))]);
      return SQL`select 1 from ${this.#dialect.table("lineages")} where ${isIt}`;
    });
    return rows.length > 0;
  }

  /** The name of another pipeline that writes the table, too. */
  async otherWriter(session: Session): Promise<string | undefined> {
    const [other] = await this.#dialect.query(
      session,
      (bind) => SQL`select flow from ${this.#dialect.table("positions")}
        where target = ${bind(this.#dialect.target(this.#owner))} and not (${this.#own(bind)}) limit 1`,
    );
    return other?.flow ?? undefined;
  }

  /**
   * The changes that were kept aside, in their order; none where an earlier version has made no table for them.
   * @throws SinkError if one cannot be read
   */
  async parked(session: Session): Promise<readonly ParkedChange[]> {
    if (!(await this.#dialect.hasTable(session, "parked"))) return [];
    const rows = await this.#dialect.query(
      session,
      (bind) =>
        SQL`select number, content from ${this.#dialect.table("parked")} where ${this.#own(bind)} order by number${this.#byPart}`,
    );
    return joinParts(rows, ({ number }) => number ?? "").map(({ text }) =>
      keptParked(text, this.#owner.columns),
    );
  }

  /** How far each source was written. @throws SinkError if what is kept cannot be read */
  async read(session: Session): Promise<Positions> {
    const { table, source: name } = this.#dialect;
    const found = await this.#dialect.query(
      session,
      (bind) =>
        SQL`select ${name} as source, next, version from ${table("positions")} where ${this.#own(bind)}`,
    );
    const rows = found.filter(({ source }) => source !== claim);
    this.#isClaimed = rows.length < found.length;
    const blocks = await this.#readBlocks(session);
    const positions = new Map<string, WrittenPosition>();
    for (const { source: given, next, version } of rows) {
      const source = given ?? "";
      const position = { next: Number(next), open: blocks.get(source) ?? [] };
      const tail = await this.#tail(session, source, settledBefore(position));
      positions.set(source, position);
      this.#kept.set(source, { version: BigInt(version ?? 0), open: position.open, tail });
    }
    return positions;
  }

  /**
   * How far each source was written, with its ledger; nothing where nothing was ever kept. Call it in a transaction that
   * sees one moment.
   * @throws SinkError if what is kept cannot be read
   */
  async states(session: Session): Promise<ReadonlyMap<string, SourceState>> {
    const states = new Map<string, SourceState>();
    if (!(await this.#dialect.hasTable(session, "ledger"))) return states;
    for (const [source, position] of await this.read(session))
      states.set(source, { position, ledger: await this.ledger(session, source) });
    return states;
  }

  /** Replaces an entry of the ledger, or adds one. */
  async correct(session: Session, source: string, entry: LedgerEntry): Promise<void> {
    await this.#putEntries(session, source, [entry]);
  }

  /** Keeps others from writing positions, and thereby the table, until the transaction ends. */
  async hold(session: Session): Promise<void> {
    await this.#dialect.query(
      session,
      (bind) => SQL`select 1 from ${this.#dialect.table("positions")} where ${this.#own(bind)} for update`,
    );
  }

  /** The whole ledger of a source, in order. */
  async ledger(session: Session, source: string): Promise<readonly LedgerEntry[]> {
    return this.#entries(session, (bind) => this.#of(source, bind));
  }

  /** The entries that a later write can change: those of blocks that may be undone, and the last one before. */
  async #tail(session: Session, source: string, settled: number): Promise<readonly LedgerEntry[]> {
    const ledger = this.#dialect.table("ledger");
    return this.#entries(
      session,
      (bind) => SQL`${this.#of(source, bind)} and first >= coalesce(
        (select max(first) from ${ledger} where ${this.#of(source, bind)} and last < ${settled}), 0)`,
    );
  }

  async #entries(session: Session, which: (bind: Bind) => SqlFragment): Promise<readonly LedgerEntry[]> {
    const { columns, table } = this.#dialect;
    const rows = await this.#dialect.query(
      session,
      (bind) => SQL`select first, last, ${columns.held} as held, ${columns.sum} as total
        from ${table("ledger")} where ${which(bind)} order by first`,
    );
    return rows.map(({ first, last, held, total }) => ({
      from: Number(first),
      to: Number(last),
      rows: Number(held),
      sum: BigInt(total ?? 0),
    }));
  }

  /**
   * Keeps the position and the ledger of a source, within the transaction that writes the rows which lead to them. Call
   * `written` once it is committed.
   * @throws SinkError if another run has written the position
   */
  async write(session: Session, batch: Omit<SinkBatch, "changes">): Promise<void> {
    const { source, from, position, ledger, parked, isReturn } = batch;
    const kept = this.#kept.get(source);
    if (!(await this.#writePosition(session, source, position.next, kept?.version)))
      throw await this.#strange(session, source, kept?.version);
    if (!this.#named.has(source)) await this.#writeName(session, source);
    await this.#writeBlocks(session, source, kept?.open ?? [], position.open);
    const before = isReturn ? await this.ledger(session, source) : (kept?.tail ?? []);
    const range = { from, entry: ledger, settled: settledBefore(position) };
    const tail = await this.#writeLedger(session, source, before, range);
    if (parked) await this.#writeParked(session, parked);
    this.#next.set(source, { version: (kept?.version ?? -1n) + 1n, open: position.open, tail });
  }

  /** Notes that the position of a source was committed. */
  written(source: string): void {
    const next = this.#next.get(source);
    if (next) this.#kept.set(source, next);
    this.#named.add(source);
  }

  /** @returns whether the position was as this process has left it */
  #writePosition(
    session: Session,
    source: string,
    next: number,
    version: bigint | undefined,
  ): Promise<boolean> {
    if (version === undefined) return this.#addPosition(session, source, next);
    return this.#dialect.update(
      session,
      (bind) => SQL`update ${this.#dialect.table("positions")} set next = ${next}, version = version + 1
        where ${this.#of(source, bind)} and version = ${numeral(version)}`,
    );
  }

  #addPosition(session: Session, source: string, next: number): Promise<boolean> {
    return this.#dialect.add(session, (bind) =>
      insertion(this.#dialect.table("positions"), [
        [
          ...this.#key(bind),
          [SQL`source`, bind(source)],
          ...this.#dialect.labels(this.#owner, bind),
          [SQL`next`, SQL`${next}`],
          [SQL`version`, SQL`0`],
        ],
      ]),
    );
  }

  /** Why the position of a source is not as this process has left it. What others have committed meanwhile is read, too. */
  async #strange(session: Session, source: string, ours: bigint | undefined): Promise<SinkError> {
    const { table, since } = this.#dialect;
    const [position] = await this.#dialect.query(
      session,
      (bind) => SQL`select version from ${table("positions")} where ${this.#of(source, bind)} for update`,
    );
    const [writer] = await this.#dialect.query(
      session,
      (bind) =>
        SQL`select process, ${since} as since from ${table("writers")} where ${this.#of(source, bind)} for update`,
    );
    return strangePosition(this.#owner, ours, position && lastWrite({ ...position, ...writer }));
  }

  /** Writes down who writes, for a run that finds the position where it has not left it. */
  async #writeName(session: Session, source: string): Promise<void> {
    const process = JSON.stringify(thisProcess());
    await this.#upsert(session, "writers", (bind) => [
      {
        key: [...this.#key(bind), [SQL`source`, bind(source)]],
        values: [
          [SQL`process`, bind(process)],
          [SQL`since`, this.#dialect.now],
        ],
      },
    ]);
  }

  async #writeBlocks(
    session: Session,
    source: string,
    before: readonly WrittenBlock[],
    after: readonly WrittenBlock[],
  ): Promise<void> {
    const { gone, added } = blockChanges(before, after);
    if (gone.length > 0)
      await this.#deleteFrom(session, "open_blocks", (bind) => [
        equal([SQL`source`, bind(source)]),
        among(SQL`number`, gone),
      ]);
    for (const { number, hash, rows } of added)
      for (const [part, text] of this.#dialect.partsOf(rowsText(rows)).entries())
        await this.#insert(session, "open_blocks", (bind) => [
          [SQL`source`, bind(source)],
          [SQL`number`, SQL`${number}`],
          ...this.#part(part),
          [SQL`hash`, bind(hash)],
          [this.#dialect.columns.rows, bind(text)],
        ]);
  }

  async #readBlocks(session: Session): Promise<ReadonlyMap<string, readonly WrittenBlock[]>> {
    const { table, source: name, columns } = this.#dialect;
    const rows = await this.#dialect.query(
      session,
      (bind) => SQL`select ${name} as source, number, hash, ${columns.rows} as content
        from ${table("open_blocks")} where ${this.#own(bind)} order by number${this.#byPart}`,
    );
    const blocks = new Map<string, WrittenBlock[]>();
    for (const { row, text } of joinParts(rows, ({ source, number }) => `${number} ${source}`)) {
      const { source, number, hash } = row;
      const of = blocks.get(source ?? "") ?? [];
      of.push(
        keptBlock(source ?? "", { number: Number(number), hash: hash ?? "", text }, this.#owner.columns),
      );
      blocks.set(source ?? "", of);
    }
    return blocks;
  }

  async #writeParked(session: Session, { removed, put }: ParkedUpdate): Promise<void> {
    const gone = [...removed, ...put.map(({ number }) => number)];
    if (gone.length > 0) await this.#deleteFrom(session, "parked", () => [among(SQL`number`, gone)]);
    const { parkedSource } = this.#dialect.columns;
    for (const change of put)
      for (const [part, text] of this.#dialect.partsOf(parkedText(change)).entries())
        await this.#insert(session, "parked", (bind) => [
          [SQL`number`, SQL`${change.number}`],
          ...this.#part(part),
          ...(parkedSource === undefined ? [] : [[parkedSource, bind(change.source)] as const]),
          [SQL`content`, bind(text)],
        ]);
  }

  /** @returns the end of the ledger as it is now */
  async #writeLedger(
    session: Session,
    source: string,
    before: readonly LedgerEntry[],
    range: WrittenRange,
  ): Promise<readonly LedgerEntry[]> {
    const { drop, put, tail } = updateLedger(before, range);
    if (drop.length > 0)
      await this.#deleteFrom(session, "ledger", (bind) => [
        equal([SQL`source`, bind(source)]),
        among(SQL`first`, drop),
      ]);
    if (put.length > 0) await this.#putEntries(session, source, put);
    return tail;
  }

  async #putEntries(session: Session, source: string, entries: readonly LedgerEntry[]): Promise<void> {
    const { held, sum: total } = this.#dialect.columns;
    await this.#upsert(session, "ledger", (bind) =>
      entries.map(({ from, to, rows, sum }) => ({
        key: [...this.#key(bind), [SQL`source`, bind(source)], [SQL`first`, SQL`${from}`]],
        values: [
          [SQL`last`, SQL`${to}`],
          // There may be more rows that are gone than new ones.
          [held, numeral(rows)],
          [total, numeral(sum)],
        ],
      })),
    );
  }

  async #deleteFrom(
    session: Session,
    table: StateTable,
    which: (bind: Bind) => readonly SqlFragment[] = () => [],
  ): Promise<void> {
    await this.#dialect.query(
      session,
      (bind) =>
        SQL`delete from ${this.#dialect.table(table)} where ${and([this.#own(bind), ...which(bind)])}`,
    );
  }

  async #insert(session: Session, table: StateTable, values: (bind: Bind) => Assignments): Promise<void> {
    await this.#dialect.query(session, (bind) =>
      insertion(this.#dialect.table(table), [[...this.#key(bind), ...values(bind)]]),
    );
  }

  /** Writes rows with the same columns, in place of those that have their keys. */
  async #upsert(
    session: Session,
    table: StateTable,
    rowsOf: (bind: Bind) => readonly KeyedRow[],
  ): Promise<void> {
    await this.#dialect.query(session, (bind) => {
      const rows = rowsOf(bind);
      const [first] = rows;
      const insert = insertion(
        this.#dialect.table(table),
        rows.map(({ key, values }) => [...key, ...values]),
      );
      return SQL`${insert} ${this.#dialect.onConflict(columnsOf(first?.key ?? []), columnsOf(first?.values ?? []))}`;
    });
  }

  #key(bind: Bind, place: SqlPlace = this.#owner): Assignments {
    return this.#dialect.owner(place, bind);
  }

  #own(bind: Bind, place: SqlPlace = this.#owner): SqlFragment {
    return and(this.#key(bind, place).map(equal));
  }

  /** The rows of a source. */
  #of(source: string, bind: Bind): SqlFragment {
    return and([this.#own(bind), equal([SQL`source`, bind(source)])]);
  }

  #part(part: number): Assignments {
    const { part: column } = this.#dialect.columns;
    return column === undefined ? [] : [[column, SQL`${part}`]];
  }

  get #byPart(): SqlFragment {
    const { part } = this.#dialect.columns;
    return part === undefined ? SQL`` : SQL`, ${part}`;
  }
}

/** A row by the columns of its key and the others. */
interface KeyedRow {
  readonly key: Assignments;
  readonly values: Assignments;
}

/** @param rows with the same columns */
function insertion(table: SqlFragment, rows: readonly Assignments[]): SqlFragment {
  const values = rows.map((row) => SQL`(${row.map(([, value]) => value)})`);
  return SQL`insert into ${table} (${columnsOf(rows[0] ?? [])}) values ${values}`;
}

function columnsOf(assignments: Assignments): readonly SqlFragment[] {
  return assignments.map(([column]) => column);
}

function equal([column, value]: Assignments[number]): SqlFragment {
  return SQL`${column} = ${value}`;
}

function among(column: SqlFragment, numbers: readonly number[]): SqlFragment {
  return SQL`${column} in (${numbers.map((number) => SQL`${number}`)})`;
}

function and(conditions: readonly SqlFragment[]): SqlFragment {
  return joinFragments(conditions, SQL` and `);
}

/** An integer of any size and sign. */
function numeral(value: bigint | number): SqlFragment {
  return uncheckedSql(String(BigInt(value)));
}

/** Joins the parts of texts. @param rows in the order of their parts @param nameOf tells the texts apart */
function joinParts(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): readonly { readonly row: Row; readonly text: string }[] {
  const joined = new Map<string, { readonly row: Row; readonly text: string }>();
  for (const row of rows) {
    const before = joined.get(nameOf(row))?.text ?? "";
    joined.set(nameOf(row), { row, text: `${before}${row.content}` });
  }
  return [...joined.values()];
}
