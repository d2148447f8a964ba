import { thisProcess } from "../../../base/lock-holder.js";
import { type Database, type Row, SQL, type Sql } from "../../../store/database/database.js";
import { plainArrayText } from "../../../store/database/sql-array.js";
import { updateLedger, type WrittenRange } from "../../changes/kept-ledger.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import { rowsText } from "../../changes/rows-text.js";
import type { RowColumn } from "../../changes/schema.js";
import type { KeptLineage } from "../lineage-guard.js";
import { type ParkedChange, type ParkedUpdate, parkedText } from "../parking/parked-change.js";
import { type Positions, type SinkBatch, settledBefore, type WrittenBlock } from "../sink.js";
import {
  blockChanges,
  keptBlock,
  keptParked,
  type LastWrite,
  lastWrite,
  strangePosition,
} from "../tables/open-blocks.js";
import type { TargetTable } from "../tables/target-table.js";
import { creationLock } from "./creation-lock.js";

/** Whose positions are kept. */
export interface PositionOwner {
  readonly flow: string;
  readonly sink: string;
  /** The table that is written: rows of another one are at another place. */
  readonly table: TargetTable;
  /** The columns of the rows that the sink takes. */
  readonly columns: readonly RowColumn[];
}

const creation = SQL`${creationLock};
  create schema if not exists graphloom_flows;
  create table if not exists graphloom_flows.positions (
    flow text not null, sink text not null, target text not null, source text not null,
    next bigint not null, version bigint not null, primary key (flow, sink, target, source));
  create table if not exists graphloom_flows.open_blocks (
    flow text not null, sink text not null, target text not null, source text not null,
    number bigint not null, hash text not null, rows text not null,
    primary key (flow, sink, target, source, number));
  create table if not exists graphloom_flows.ledger (
    flow text not null, sink text not null, target text not null, source text not null,
    first bigint not null, last bigint not null, rows bigint not null, sum numeric(39,0) not null,
    primary key (flow, sink, target, source, first));
  create table if not exists graphloom_flows.parked (
    flow text not null, sink text not null, target text not null, number bigint not null, source text not null,
    content text not null, primary key (flow, sink, target, number));
  create table if not exists graphloom_flows.writers (
    flow text not null, sink text not null, target text not null, source text not null,
    process text not null, since timestamptz not null, primary key (flow, sink, target, source));
  create table if not exists graphloom_flows.lineages (
    flow text not null, sink text not null, target text not null, lineage text,
    made oid, primary key (flow, sink, target))`;

/** Makes sure that there are tables for positions and ledgers. @throws DatabaseError */
export async function createPositionTables(sql: Sql): Promise<void> {
  await sql.run(creation);
}

/** Stands for a source where the table is the sink's although none has been written. */
const claim = SQL`''`;

/** The rows of one table of one sink. */
const ofTable = SQL`flow = $1::text and sink = $2::text and target = $3::text`;

/** What tells a table from another one that had its name before or has it now. */
const identity = SQL`(select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $4::text and c.relname = $5::text)`;

/** The rows of one source of it. */
const ofSource = SQL`${ofTable} and source = $4::text`;

/**
 * How far each source has been written, the ledger of it, and the changes that were kept aside. They are kept beside the table and written in the same
 * transaction, so that all of them agree. Blocks that may still be replaced are kept with their rows.
 */
export class KeptPositions {
  readonly #owner: PositionOwner;
  /** How often the position of each source has been written. */
  readonly #versions = new Map<string, bigint>();
  /** The open blocks of each source, and what they are once the open transaction is committed. */
  readonly #open = new Map<string, readonly WrittenBlock[]>();
  readonly #nextOpen = new Map<string, readonly WrittenBlock[]>();
  /** The end of the ledger of each source, and what it is once the open transaction is committed. */
  readonly #tails = new Map<string, readonly LedgerEntry[]>();
  readonly #nextTails = new Map<string, readonly LedgerEntry[]>();
  /** Sources whose writer is this process. */
  readonly #named = new Set<string>();
  #isClaimed = false;

  constructor(owner: PositionOwner) {
    this.#owner = owner;
  }

  /** Makes sure that there are tables for positions and ledgers. @throws DatabaseError */
  async prepare(database: Database): Promise<void> {
    await createPositionTables(database);
  }

  /** Whether rows of the table are the sink's although no source has been written: their positions were forgotten. */
  get isClaimed(): boolean {
    return this.#isClaimed;
  }

  /** Forgets what was written into a table that stays the sink's, within a transaction. */
  async begin(sql: Sql): Promise<void> {
    await this.#forgetSources(sql);
    await sql.query(
      SQL`insert into graphloom_flows.positions (flow, sink, target, source, next, version)
        values ($1::text, $2::text, $3::text, ${claim}, 0, 0)`,
      this.#own,
    );
  }

  /** Forgets what was written into a table that is gone, within the transaction that creates it again. */
  async forget(sql: Sql): Promise<void> {
    await this.#forgetSources(sql);
    await sql.query(SQL`delete from graphloom_flows.lineages where ${ofTable}`, this.#own);
  }

  async #forgetSources(sql: Sql): Promise<void> {
    await sql.query(SQL`delete from graphloom_flows.positions where ${ofTable}`, this.#own);
    await sql.query(SQL`delete from graphloom_flows.open_blocks where ${ofTable}`, this.#own);
    await sql.query(SQL`delete from graphloom_flows.ledger where ${ofTable}`, this.#own);
    await sql.query(SQL`delete from graphloom_flows.parked where ${ofTable}`, this.#own);
    await sql.query(SQL`delete from graphloom_flows.writers where ${ofTable}`, this.#own);
  }

  /** What is kept about where rows come from; nothing in a database of an earlier version. @throws DatabaseError */
  async lineage(sql: Sql): Promise<KeptLineage> {
    const [found] = await sql.query(SQL`select to_regclass('graphloom_flows.lineages') as lineages`);
    if (found?.lineages == null) return { text: undefined, isWritten: false };
    const [row] = await sql.query(
      SQL`select (select lineage from graphloom_flows.lineages where ${ofTable}) as lineage,
        exists (select 1 from graphloom_flows.positions where ${ofTable} and source <> ${claim}) as written`,
      this.#own,
    );
    return { text: row?.lineage ?? undefined, isWritten: row?.written === "t" };
  }

  /** Keeps where rows come from. @throws DatabaseError */
  async keepLineage(sql: Sql, text: string): Promise<void> {
    await sql.query(
      SQL`insert into graphloom_flows.lineages (flow, sink, target, lineage) values ($1::text, $2::text, $3::text, $4::text)
        on conflict (flow, sink, target) do update set lineage = excluded.lineage`,
      [...this.#own, text],
    );
  }

  /** Notes that the sink has made a table. @param table that of the rows by default @throws DatabaseError */
  async made(sql: Sql, table = this.#owner.table): Promise<void> {
    await sql.query(
      SQL`insert into graphloom_flows.lineages (flow, sink, target, made)
        values ($1::text, $2::text, $3::text, ${identity}) on conflict (flow, sink, target) do update set made = excluded.made`,
      [...this.#ownOf(table), table.schema, table.name],
    );
  }

  /** Whether the sink has made a table. @param table that of the rows by default @throws DatabaseError */
  async isMade(sql: Sql, table = this.#owner.table): Promise<boolean> {
    const rows = await sql.query(
      SQL`select 1 from graphloom_flows.lineages where ${ofTable} and made = ${identity}`,
      [...this.#ownOf(table), table.schema, table.name],
    );
    return rows.length > 0;
  }

  /** The name of another pipeline that writes the table, too. @throws DatabaseError */
  async otherWriter(sql: Sql): Promise<string | undefined> {
    const [other] = await sql.query(
      SQL`select flow from graphloom_flows.positions
        where target = $3::text and (flow <> $1::text or sink <> $2::text) limit 1`,
      this.#own,
    );
    return other?.flow ?? undefined;
  }

  /** The changes that were kept aside, in their order. @throws DatabaseError; SinkError if one cannot be read */
  async parked(sql: Sql): Promise<readonly ParkedChange[]> {
    const rows = await sql.query(
      SQL`select content from graphloom_flows.parked where ${ofTable} order by number`,
      this.#own,
    );
    return rows.map(({ content }) => keptParked(content ?? "", this.#owner.columns));
  }

  async #writeParked(sql: Sql, { removed, put }: ParkedUpdate): Promise<void> {
    if (removed.length > 0)
      await sql.query(
        SQL`delete from graphloom_flows.parked where ${ofTable} and number = any($4::bigint[])`,
        [...this.#own, plainArrayText(removed)],
      );
    for (const change of put)
      await sql.query(
        SQL`insert into graphloom_flows.parked (flow, sink, target, number, source, content)
          values ($1::text, $2::text, $3::text, $4::bigint, $5::text, $6::text)
          on conflict (flow, sink, target, number) do update set content = excluded.content`,
        [...this.#own, String(change.number), change.source, parkedText(change)],
      );
  }

  /** @throws DatabaseError; SinkError if what is kept cannot be read */
  async read(sql: Sql): Promise<Positions> {
    const found = await sql.query(
      SQL`select source, next, version from graphloom_flows.positions where ${ofTable}`,
      this.#own,
    );
    const rows = found.filter(({ source }) => source !== "");
    this.#isClaimed = rows.length < found.length;
    const blocks = await sql.query(
      SQL`select source, number, hash, rows from graphloom_flows.open_blocks where ${ofTable} order by source, number`,
      this.#own,
    );
    const { columns } = this.#owner;
    for (const { source, version } of rows) this.#versions.set(source ?? "", BigInt(version ?? "0"));
    const positions: Positions = new Map(
      rows.map(({ source, next }) => {
        const open = blocks
          .filter((block) => block.source === source)
          .map(({ number, hash, rows: text }) =>
            keptBlock(source ?? "", { number: Number(number), hash: hash ?? "", text: text ?? "" }, columns),
          );
        return [source ?? "", { next: Number(next), open }];
      }),
    );
    for (const [source, position] of positions) {
      this.#open.set(source, position.open);
      this.#tails.set(source, await this.#tail(sql, source, settledBefore(position)));
    }
    return positions;
  }

  /** Replaces an entry of the ledger, or adds one. */
  async correct(sql: Sql, source: string, entry: LedgerEntry): Promise<void> {
    await this.#putLedger(sql, source, [], [entry]);
  }

  /** Keeps everybody else from writing positions, and thereby the table, until the transaction ends. */
  async hold(sql: Sql): Promise<void> {
    await sql.query(SQL`select 1 from graphloom_flows.positions where ${ofTable} for update`, this.#own);
  }

  /** The whole ledger of a source, in order. @throws DatabaseError */
  async ledger(sql: Sql, source: string): Promise<readonly LedgerEntry[]> {
    const rows = await sql.query(
      SQL`select first, last, rows, sum from graphloom_flows.ledger where ${ofSource} order by first`,
      [...this.#own, source],
    );
    return rows.map(entryOf);
  }

  /** The entries that a later write can change: those of blocks that may be undone, and the last one before. */
  async #tail(sql: Sql, source: string, settled: number): Promise<readonly LedgerEntry[]> {
    const rows = await sql.query(
      SQL`select first, last, rows, sum from graphloom_flows.ledger where ${ofSource} and first >= coalesce(
        (select max(first) from graphloom_flows.ledger where ${ofSource} and last < $5::bigint), 0) order by first`,
      [...this.#own, source, String(settled)],
    );
    return rows.map(entryOf);
  }

  /**
   * Keeps the position and the ledger of a source, within the transaction that writes the rows which lead to them. Call
   * `written` once it is committed.
   * @throws SinkError if somebody else has written the position
   */
  async write(
    sql: Sql,
    { source, from, position, ledger, parked, isReturn }: Omit<SinkBatch, "changes">,
  ): Promise<void> {
    if (isReturn) this.#tails.set(source, await this.ledger(sql, source));
    const { next, open } = position;
    const own = [...this.#own, source];
    const version = this.#versions.get(source);
    const written = await sql.query(
      version === undefined
        ? SQL`insert into graphloom_flows.positions (flow, sink, target, source, next, version)
            values ($1::text, $2::text, $3::text, $4::text, $5::bigint, 0) on conflict do nothing returning 1`
        : SQL`update graphloom_flows.positions set next = $5::bigint, version = version + 1
            where ${ofSource} and version = $6::bigint returning 1`,
      [...own, String(next), ...(version === undefined ? [] : [String(version)])],
    );
    if (written.length === 0) throw strangePosition(this.#owner, version, await this.#lastWrite(sql, source));
    if (!this.#named.has(source)) await this.#writeName(sql, source);
    const { gone, added } = blockChanges(this.#open.get(source) ?? [], open);
    if (gone.length > 0)
      await sql.query(
        SQL`delete from graphloom_flows.open_blocks where ${ofSource} and number = any($5::bigint[])`,
        [...own, plainArrayText(gone)],
      );
    for (const { number, hash, rows } of added)
      await sql.query(
        SQL`insert into graphloom_flows.open_blocks (flow, sink, target, source, number, hash, rows)
          values ($1::text, $2::text, $3::text, $4::text, $5::bigint, $6::text, $7::text)`,
        [...own, String(number), hash, rowsText(rows)],
      );
    this.#nextOpen.set(source, open);
    await this.#writeLedger(sql, source, { from, entry: ledger, settled: settledBefore(position) });
    if (parked) await this.#writeParked(sql, parked);
  }

  /** Writes down who writes, for a run that finds the position where it has not left it. */
  async #writeName(sql: Sql, source: string): Promise<void> {
    await sql.query(
      SQL`insert into graphloom_flows.writers (flow, sink, target, source, process, since)
        values ($1::text, $2::text, $3::text, $4::text, $5::text, now())
        on conflict (flow, sink, target, source) do update set process = excluded.process, since = excluded.since`,
      [...this.#own, source, JSON.stringify(thisProcess())],
    );
  }

  /** How often a position was written, and the process that has written it last. */
  async #lastWrite(sql: Sql, source: string): Promise<LastWrite | undefined> {
    const [found] = await sql.query(
      SQL`select p.version, w.process, (extract(epoch from w.since) * 1000)::bigint as since
        from graphloom_flows.positions p left join graphloom_flows.writers w using (flow, sink, target, source)
        where ${ofSource}`,
      [...this.#own, source],
    );
    return found && lastWrite(found);
  }

  async #writeLedger(sql: Sql, source: string, range: WrittenRange): Promise<void> {
    const { drop, put, tail } = updateLedger(this.#tails.get(source) ?? [], range);
    this.#nextTails.set(source, tail);
    await this.#putLedger(sql, source, drop, put);
  }

  async #putLedger(
    sql: Sql,
    source: string,
    drop: readonly number[],
    put: readonly LedgerEntry[],
  ): Promise<void> {
    if (drop.length === 0 && put.length === 0) return;
    await sql.query(
      SQL`with dropped as (delete from graphloom_flows.ledger where ${ofSource} and first = any($5::bigint[]))
        insert into graphloom_flows.ledger (flow, sink, target, source, first, last, rows, sum)
        select $1::text, $2::text, $3::text, $4::text, * from unnest($6::bigint[], $7::bigint[], $8::bigint[], $9::numeric[])
        on conflict (flow, sink, target, source, first) do update set last = excluded.last, rows = excluded.rows, sum = excluded.sum`,
      [
        ...[...this.#own, source, plainArrayText(drop)],
        ...(["from", "to", "rows", "sum"] as const).map((field) =>
          plainArrayText(put.map((entry) => entry[field])),
        ),
      ],
    );
  }

  /** The parameters of `ofTable`. */
  get #own(): readonly [string, string, string] {
    return this.#ownOf(this.#owner.table);
  }

  #ownOf({ schema, name }: TargetTable): readonly [string, string, string] {
    const { flow, sink } = this.#owner;
    return [flow, sink, JSON.stringify([schema, name])];
  }

  /** Notes that the position of a source was committed. */
  written(source: string): void {
    this.#open.set(source, this.#nextOpen.get(source) ?? []);
    this.#tails.set(source, this.#nextTails.get(source) ?? []);
    this.#versions.set(source, (this.#versions.get(source) ?? -1n) + 1n);
    this.#named.add(source);
  }
}

function entryOf({ first, last, rows, sum }: Row): LedgerEntry {
  return { from: Number(first), to: Number(last), rows: Number(rows), sum: BigInt(sum ?? 0) };
}
