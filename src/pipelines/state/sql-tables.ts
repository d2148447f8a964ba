import { cell } from "../../store/database/columns.js";
import { joinFragments, type Row, SQL, type SqlFragment } from "../../store/database/database.js";
import type { LedgerEntry } from "../changes/ledger.js";
import { rowsText } from "../changes/rows-text.js";
import { type BlockChanges, keptBlock, keptParked } from "./kept-records.js";
import { type ParkedChange, type ParkedUpdate, parkedText } from "./parked-change.js";
import type { WrittenBlock } from "./sink-batch.js";
import type { Assignments, Bind, SqlDialect, SqlPlace, SqlStateOwner, Statement, StateTable } from "./sql.js";

/** The rows of a sink in the tables of states. Each method throws what the database throws. */
export class SqlTables<Session> {
  readonly #dialect: SqlDialect<Session>;
  readonly #owner: SqlStateOwner;

  constructor(dialect: SqlDialect<Session>, owner: SqlStateOwner) {
    this.#dialect = dialect;
    this.#owner = owner;
  }

  ask(session: Session, statement: Statement): Promise<readonly Row[]> {
    return this.#dialect.ask(session, statement);
  }

  /** The columns that say whose a row is. */
  key(bind: Bind, place: SqlPlace = this.#owner): Assignments {
    return this.#dialect.owner(place, bind);
  }

  /** The condition of the rows of the owner. */
  own(bind: Bind, place: SqlPlace = this.#owner): SqlFragment {
    return and(this.key(bind, place).map(equal));
  }

  /** The rows of a source. */
  of(source: string, bind: Bind): SqlFragment {
    return and([this.own(bind), equal([SQL`source`, bind(source)])]);
  }

  /** Deletes rows of the owner. @param which further conditions */
  async deleteFrom(
    session: Session,
    table: StateTable,
    which: (bind: Bind) => readonly SqlFragment[] = () => [],
  ): Promise<void> {
    await this.ask(
      session,
      (bind) => SQL`delete from ${this.#dialect.table(table)} where ${and([this.own(bind), ...which(bind)])}`,
    );
  }

  async #insert(session: Session, table: StateTable, values: (bind: Bind) => Assignments): Promise<void> {
    await this.ask(session, (bind) =>
      insertion(this.#dialect.table(table), [[...this.key(bind), ...values(bind)]]),
    );
  }

  /** Writes rows with the same columns. A row replaces the one with its key. */
  async upsert(
    session: Session,
    table: StateTable,
    rowsOf: (bind: Bind) => readonly KeyedRow[],
  ): Promise<void> {
    await this.ask(session, (bind) => {
      const rows = rowsOf(bind);
      const [first] = rows;
      const insert = insertion(
        this.#dialect.table(table),
        rows.map(({ key, values }) => [...key, ...values]),
      );
      return SQL`${insert} ${this.#dialect.onConflict(columnsOf(first?.key ?? []), columnsOf(first?.values ?? []))}`;
    });
  }

  /** The whole ledger of a source, in order. */
  async ledger(session: Session, source: string): Promise<readonly LedgerEntry[]> {
    return this.#entries(session, (bind) => this.of(source, bind));
  }

  /** The entries that a later write can change: those of blocks that may be undone, and the last one before. */
  async tail(session: Session, source: string, settled: number): Promise<readonly LedgerEntry[]> {
    const ledger = this.#dialect.table("ledger");
    return this.#entries(
      session,
      (bind) => SQL`${this.of(source, bind)} and first >= coalesce(
        (select max(first) from ${ledger} where ${this.of(source, bind)} and last < ${settled}), 0)`,
    );
  }

  async #entries(session: Session, which: (bind: Bind) => SqlFragment): Promise<readonly LedgerEntry[]> {
    const { columns, table } = this.#dialect;
    const rows = await this.ask(
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

  /** Writes entries of a ledger. An entry replaces the one with the same first block. */
  async putEntries(session: Session, source: string, entries: readonly LedgerEntry[]): Promise<void> {
    const { held, sum: total } = this.#dialect.columns;
    await this.upsert(session, "ledger", (bind) =>
      entries.map(({ from, to, rows, sum }) => ({
        key: [...this.key(bind), [SQL`source`, bind(source)], [SQL`first`, SQL`${from}`]],
        values: [
          [SQL`last`, SQL`${to}`],
          // There may be more rows that are gone than new ones.
          [held, this.#dialect.numeral(bind, rows)],
          [total, this.#dialect.numeral(bind, sum)],
        ],
      })),
    );
  }

  /** @param first where the entries begin */
  async dropEntries(session: Session, source: string, first: readonly number[]): Promise<void> {
    if (first.length > 0)
      await this.deleteFrom(session, "ledger", (bind) => [
        equal([SQL`source`, bind(source)]),
        among(SQL`first`, first),
      ]);
  }

  /** The open blocks of each source, in order. @throws SinkError if one has other columns */
  async blocks(session: Session): Promise<ReadonlyMap<string, readonly WrittenBlock[]>> {
    const { table, source: name, columns } = this.#dialect;
    const rows = await this.ask(
      session,
      (bind) => SQL`select ${name} as source, number, hash, ${columns.rows} as content
        from ${table("open_blocks")} where ${this.own(bind)} order by number${this.#byPart}`,
    );
    const blocks = new Map<string, WrittenBlock[]>();
    for (const { row, text } of joinParts(rows, ({ source, number }) => `${number} ${source}`)) {
      const source = cell(row, "source");
      const of = blocks.get(source) ?? [];
      const kept = { number: Number(row.number), hash: cell(row, "hash"), text };
      of.push(keptBlock(source, kept, this.#owner.columns));
      blocks.set(source, of);
    }
    return blocks;
  }

  async changeBlocks(session: Session, source: string, { gone, added }: BlockChanges): Promise<void> {
    if (gone.length > 0)
      await this.deleteFrom(session, "open_blocks", (bind) => [
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

  /** The changes that were kept aside, in their order. @throws SinkError if one cannot be read */
  async parked(session: Session): Promise<readonly ParkedChange[]> {
    const rows = await this.ask(
      session,
      (bind) =>
        SQL`select number, content from ${this.#dialect.table("parked")} where ${this.own(bind)} order by number${this.#byPart}`,
    );
    return joinParts(rows, (row) => cell(row, "number")).map(({ text }) =>
      keptParked(text, this.#owner.columns),
    );
  }

  async changeParked(session: Session, { removed, put }: ParkedUpdate): Promise<void> {
    const gone = [...removed, ...put.map(({ number }) => number)];
    if (gone.length > 0) await this.deleteFrom(session, "parked", () => [among(SQL`number`, gone)]);
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
export function insertion(table: SqlFragment, rows: readonly Assignments[]): SqlFragment {
  const values = rows.map((row) => SQL`(${row.map(([, value]) => value)})`);
  return SQL`insert into ${table} (${columnsOf(rows[0] ?? [])}) values ${values}`;
}

function columnsOf(assignments: Assignments): readonly SqlFragment[] {
  return assignments.map(([column]) => column);
}

export function equal([column, value]: Assignments[number]): SqlFragment {
  return SQL`${column} = ${value}`;
}

function among(column: SqlFragment, numbers: readonly number[]): SqlFragment {
  return SQL`${column} in (${numbers.map((number) => SQL`${number}`)})`;
}

export function and(conditions: readonly SqlFragment[]): SqlFragment {
  return joinFragments(conditions, SQL` and `);
}

/** An integer where decimals have enough digits for 128 bits. */
export function decimalNumeral(bind: Bind, value: bigint | number): SqlFragment {
  return SQL`cast(${bind(String(value))} as decimal(39,0))`;
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
