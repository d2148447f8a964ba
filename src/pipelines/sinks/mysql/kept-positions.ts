import { createHash } from "node:crypto";
import { thisProcess } from "../../../base/lock-holder.js";
import { SQL, type SqlFragment } from "../../../store/database/database.js";
import { updateLedger, type WrittenRange } from "../../changes/kept-ledger.js";
import type { LedgerEntry } from "../../changes/ledger.js";
import { rowsText } from "../../changes/rows-text.js";
import type { RowColumn } from "../../changes/schema.js";
import type { KeptLineage } from "../lineage-guard.js";
import { type MysqlDatabase, MysqlError, type MysqlRow } from "../mysql-database.js";
import { type ParkedChange, type ParkedUpdate, parkedText } from "../parking/parked-change.js";
import {
  type Positions,
  type SinkBatch,
  settledBefore,
  type WrittenBlock,
  type WrittenPosition,
} from "../sink.js";
import {
  blockChanges,
  keptBlock,
  keptParked,
  type LastWrite,
  lastWrite,
  strangePosition,
} from "../tables/open-blocks.js";
import type { TargetTable } from "../tables/target-table.js";
import { quoteMysqlText } from "./mysql-text.js";
import { tableName } from "./target-table.js";

/** Whose positions are kept. */
export interface PositionOwner {
  readonly flow: string;
  readonly sink: string;
  /** The table that is written: rows of another one are at another place. */
  readonly table: TargetTable;
  /** The columns of the rows that the sink takes. */
  readonly columns: readonly RowColumn[];
}

/** Most UTF-16 units of rows in one statement. */
const partLength = 100_000;

const duplicateKey = 1062;

/** What the database holds for a source. */
interface KeptSource {
  /** How often its position has been written. */
  readonly version: number;
  readonly open: readonly WrittenBlock[];
  /** The end of its ledger. */
  readonly tail: readonly LedgerEntry[];
}

/**
 * How far each source has been written, the ledger of it, and the changes that were kept aside. They are kept in the database of the table and written in
 * the same transaction, so that all of them agree. The rows of a block are kept in parts, since the server limits the
 * size of statements.
 */
export class KeptPositions {
  readonly #database: MysqlDatabase;
  readonly #owner: PositionOwner;
  readonly #positions: SqlFragment;
  readonly #blocks: SqlFragment;
  readonly #ledger: SqlFragment;
  readonly #parked: SqlFragment;
  readonly #lineages: SqlFragment;
  readonly #writers: SqlFragment;
  readonly #kept = new Map<string, KeptSource>();
  /** What the database holds once the open transaction is committed. */
  readonly #next = new Map<string, KeptSource>();
  /** Sources whose writer is this process. */
  readonly #named = new Set<string>();
  #isClaimed = false;

  constructor(database: MysqlDatabase, owner: PositionOwner) {
    this.#database = database;
    this.#owner = owner;
    const { schema } = owner.table;
    this.#positions = tableName({ schema, name: "graphloom_flows_positions" });
    this.#blocks = tableName({ schema, name: "graphloom_flows_open_blocks" });
    this.#ledger = tableName({ schema, name: "graphloom_flows_ledger" });
    this.#parked = tableName({ schema, name: "graphloom_flows_parked" });
    this.#lineages = tableName({ schema, name: "graphloom_flows_lineages" });
    this.#writers = tableName({ schema, name: "graphloom_flows_writers" });
  }

  /** Makes sure that there are tables for positions and ledgers. @throws MysqlError */
  async prepare(): Promise<void> {
    const binary = SQL`engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_bin`;
    const text = SQL`varbinary(1000) not null`;
    // The owner's names have any length, so its hash identifies it.
    await this.#database.run(SQL`create table if not exists ${this.#positions} (
      owner binary(32) not null, source ${text}, flow text not null, sink text not null, target text not null,
      next bigint not null, version bigint not null, primary key (owner, source)) ${binary}`);
    await this.#database.run(SQL`create table if not exists ${this.#blocks} (
      owner binary(32) not null, source ${text}, number bigint not null, part int not null,
      hash text not null, content longtext not null, primary key (owner, source, number, part)) ${binary}`);
    await this.#database.run(SQL`create table if not exists ${this.#ledger} (
      owner binary(32) not null, source ${text}, first bigint not null, last bigint not null,
      held bigint not null, hash decimal(39,0) not null, primary key (owner, source, first)) ${binary}`);
    await this.#database.run(SQL`create table if not exists ${this.#parked} (
      owner binary(32) not null, number bigint not null, part int not null, content longtext not null,
      primary key (owner, number, part)) ${binary}`);
    await this.#database.run(SQL`create table if not exists ${this.#writers} (
      owner binary(32) not null, source ${text}, process text not null, since bigint not null,
      primary key (owner, source)) ${binary}`);
    await this.#database.run(SQL`create table if not exists ${this.#lineages} (
      owner binary(32) not null, lineage longtext, is_made boolean not null default false, primary key (owner)) ${binary}`);
  }

  /** Whether rows of the table are the sink's although no source has been written: their positions were forgotten. */
  get isClaimed(): boolean {
    return this.#isClaimed;
  }

  /** Forgets what was written into a table that is gone. @throws MysqlError */
  async forget(): Promise<void> {
    await this.#database.transaction(async () => {
      await this.#deleteAll();
      await this.#database.run(SQL`delete from ${this.#lineages} where ${this.#own}`);
    });
  }

  /** Forgets what was written into a table that stays the sink's. @throws MysqlError */
  async begin(): Promise<void> {
    await this.#database.transaction(() => this.beginWithin());
  }

  /** The same within a transaction that is open. @throws MysqlError */
  async beginWithin(): Promise<void> {
    await this.#deleteAll();
    await this.#writePosition("", 0, undefined);
  }

  /** What is kept about where rows come from; nothing in a database of an earlier version. @throws MysqlError */
  async lineage(): Promise<KeptLineage> {
    if (!(await this.#exists("graphloom_flows_lineages"))) return { text: undefined, isWritten: false };
    const { rows } = await this.#database.run(
      SQL`select (select lineage from ${this.#lineages} where ${this.#own}) as lineage,
        exists (select 1 from ${this.#positions} where ${this.#own} and source <> '') as written`,
    );
    const [row] = rows;
    return { text: row?.lineage ?? undefined, isWritten: Number(row?.written ?? 0) === 1 };
  }

  /** Keeps where rows come from. @throws MysqlError */
  async keepLineage(text: string): Promise<void> {
    await this.#database.run(
      SQL`insert into ${this.#lineages} (owner, lineage) values (${this.#id}, ${quoteMysqlText(text)})
        on duplicate key update lineage = values(lineage)`,
    );
  }

  /** Notes that the sink makes the table. @throws MysqlError */
  async made(): Promise<void> {
    await this.#database.run(
      SQL`insert into ${this.#lineages} (owner, is_made) values (${this.#id}, true) on duplicate key update is_made = true`,
    );
  }

  /** Whether the sink has made the table. @throws MysqlError */
  async isMade(): Promise<boolean> {
    const { rows } = await this.#database.run(
      SQL`select 1 from ${this.#lineages} where ${this.#own} and is_made`,
    );
    return rows.length > 0;
  }

  /** The name of another pipeline that writes the table, too. @throws MysqlError */
  async otherWriter(): Promise<string | undefined> {
    const { rows } = await this.#database.run(
      SQL`select flow from ${this.#positions}
        where target = ${quoteMysqlText(this.#owner.table.name)} and owner <> ${this.#id} limit 1`,
    );
    return rows[0]?.flow ?? undefined;
  }

  async #deleteAll(): Promise<void> {
    await this.#database.run(SQL`delete from ${this.#positions} where ${this.#own}`);
    await this.#database.run(SQL`delete from ${this.#blocks} where ${this.#own}`);
    await this.#database.run(SQL`delete from ${this.#ledger} where ${this.#own}`);
    await this.#database.run(SQL`delete from ${this.#parked} where ${this.#own}`);
    await this.#database.run(SQL`delete from ${this.#writers} where ${this.#own}`);
  }

  /** The changes that were kept aside, in their order. @throws MysqlError; SinkError if one cannot be read */
  async parked(): Promise<readonly ParkedChange[]> {
    const { rows } = await this.#database.run(
      SQL`select number, content from ${this.#parked} where ${this.#own} order by number, part`,
    );
    const texts = new Map<string, string>();
    for (const { number: of, content } of rows) texts.set(of ?? "", `${texts.get(of ?? "") ?? ""}${content}`);
    return [...texts.values()].map((text) => keptParked(text, this.#owner.columns));
  }

  async #writeParked({ removed, put }: ParkedUpdate): Promise<void> {
    const gone = [...removed, ...put.map((change) => change.number)];
    if (gone.length > 0)
      await this.#database.run(
        SQL`delete from ${this.#parked} where ${this.#own} and number in (${gone.map(number)})`,
      );
    for (const change of put)
      for (const [part, text] of partsOf(parkedText(change)).entries())
        await this.#database.run(
          SQL`insert into ${this.#parked} (owner, number, part, content) values
            (${this.#id}, ${change.number}, ${part}, ${quoteMysqlText(text)})`,
        );
  }

  /** @throws MysqlError; SinkError if what is kept cannot be read */
  async read(): Promise<Positions> {
    const positions = await this.#database.run(
      SQL`select convert(source using utf8mb4) as source, next, version from ${this.#positions} where ${this.#own}`,
    );
    const read = new Map<string, WrittenPosition>();
    this.#isClaimed = positions.rows.some(({ source }) => source === "");
    for (const { source, next, version } of positions.rows) {
      // No source has this name: it says that the table is the sink's although none has been written.
      if (source === "") continue;
      const position = { next: Number(next), open: await this.#readBlocks(source ?? "") };
      const tail = await this.#readTail(source ?? "", settledBefore(position));
      read.set(source ?? "", position);
      this.#kept.set(source ?? "", { version: Number(version), open: position.open, tail });
    }
    return read;
  }

  /**
   * Keeps the position and the ledger of a source, within the transaction that writes the rows which lead to them. Call
   * `written` once it is committed.
   * @throws SinkError if somebody else has written the position; MysqlError
   */
  async write(batch: Omit<SinkBatch, "changes">): Promise<void> {
    const { source, from, position, ledger, parked, isReturn } = batch;
    const kept = this.#kept.get(source);
    if (!(await this.#writePosition(source, position.next, kept?.version))) {
      const ours = kept && BigInt(kept.version);
      throw strangePosition(this.#owner, ours, await this.#lastWrite(source));
    }
    if (!this.#named.has(source)) await this.#writeName(source);
    await this.#writeBlocks(source, kept?.open ?? [], position.open);
    const range = { from, entry: ledger, settled: settledBefore(position) };
    const before = isReturn ? await this.ledger(source) : (kept?.tail ?? []);
    const tail = await this.#writeLedger(source, before, range);
    if (parked) await this.#writeParked(parked);
    this.#next.set(source, { version: (kept?.version ?? -1) + 1, open: position.open, tail });
  }

  /** Whether anybody has ever kept something. @throws MysqlError */
  exist(): Promise<boolean> {
    return this.#exists("graphloom_flows_ledger");
  }

  async #exists(table: string): Promise<boolean> {
    const { rows } = await this.#database.run(
      SQL`select 1 from information_schema.tables where table_schema = ${quoteMysqlText(this.#owner.table.schema)}
        and table_name = ${quoteMysqlText(table)}`,
    );
    return rows.length > 0;
  }

  /** Keeps everybody else from writing positions, and thereby the table, until the transaction ends. @throws MysqlError */
  async hold(): Promise<void> {
    await this.#database.run(SQL`select 1 from ${this.#positions} where ${this.#own} for update`);
  }

  /** The whole ledger of a source, in order. @throws MysqlError */
  async ledger(source: string): Promise<readonly LedgerEntry[]> {
    const { rows } = await this.#database.run(
      SQL`select first, last, held, hash from ${this.#ledger} where ${this.#of(source)} order by first`,
    );
    return rows.map(entryOf);
  }

  /** Replaces an entry of the ledger, or adds one. @throws MysqlError */
  async correct(source: string, { from, to, rows, sum }: LedgerEntry): Promise<void> {
    // There may be more rows that are gone than new ones.
    const values = [from, to, rows, sum].map((value) => quoteMysqlText(String(value)));
    await this.#database.run(
      SQL`replace into ${this.#ledger} (owner, source, first, last, held, hash) values
        (${this.#id}, ${quoteMysqlText(source)}, ${values})`,
    );
  }

  /** Notes that the position of a source was committed. */
  written(source: string): void {
    const next = this.#next.get(source);
    if (next) this.#kept.set(source, next);
    this.#named.add(source);
  }

  /** @returns whether the position was as this process has left it */
  async #writePosition(source: string, next: number, version: number | undefined): Promise<boolean> {
    const quoted = quoteMysqlText(source);
    if (version !== undefined) {
      const { changed } = await this.#database.run(
        SQL`update ${this.#positions} set next = ${next}, version = version + 1
          where ${this.#of(source)} and version = ${version}`,
      );
      return changed === 1;
    }
    const { flow, sink, table } = this.#owner;
    try {
      await this.#database.run(
        SQL`insert into ${this.#positions} (owner, source, flow, sink, target, next, version) values
          (${this.#id}, ${quoted}, ${[flow, sink, table.name].map(quoteMysqlText)}, ${next}, 0)`,
      );
      return true;
    } catch (error) {
      if (error instanceof MysqlError && error.number === duplicateKey) return false;
      throw error;
    }
  }

  /** Writes down who writes, for a run that finds the position where it has not left it. */
  async #writeName(source: string): Promise<void> {
    const [quoted, name] = [source, JSON.stringify(thisProcess())].map(quoteMysqlText);
    await this.#database.run(
      SQL`replace into ${this.#writers} (owner, source, process, since) values
        (${this.#id}, ${quoted ?? SQL``}, ${name ?? SQL``}, unix_timestamp() * 1000)`,
    );
  }

  /** How often a position was written, and the process that has written it last, as others see it, too. */
  async #lastWrite(source: string): Promise<LastWrite | undefined> {
    const { rows } = await this.#database.run(
      SQL`select version from ${this.#positions} where ${this.#of(source)} for update`,
    );
    const writers = await this.#database.run(
      SQL`select process, since from ${this.#writers} where ${this.#of(source)} for update`,
    );
    return rows[0] && lastWrite({ ...rows[0], ...writers.rows[0] });
  }

  async #writeBlocks(
    source: string,
    before: readonly WrittenBlock[],
    after: readonly WrittenBlock[],
  ): Promise<void> {
    const { gone, added } = blockChanges(before, after);
    if (gone.length > 0)
      await this.#database.run(
        SQL`delete from ${this.#blocks} where ${this.#of(source)} and number in (${gone.map(number)})`,
      );
    for (const block of added) await this.#writeBlock(source, block);
  }

  /** @returns the end of the ledger as it is now */
  async #writeLedger(
    source: string,
    before: readonly LedgerEntry[],
    range: WrittenRange,
  ): Promise<readonly LedgerEntry[]> {
    const { drop, put, tail } = updateLedger(before, range);
    if (drop.length > 0)
      await this.#database.run(
        SQL`delete from ${this.#ledger} where ${this.#of(source)} and first in (${drop.map(number)})`,
      );
    for (const entry of put) await this.correct(source, entry);
    return tail;
  }

  /** The entries that a later write can change: those of blocks that may be undone, and the last one before. */
  async #readTail(source: string, settled: number): Promise<readonly LedgerEntry[]> {
    const ofSource = this.#of(source);
    const { rows } = await this.#database.run(
      SQL`select first, last, held, hash from ${this.#ledger} where ${ofSource} and first >= coalesce(
        (select max(first) from ${this.#ledger} where ${ofSource} and last < ${settled}), 0) order by first`,
    );
    return rows.map(entryOf);
  }

  async #writeBlock(source: string, { number, hash, rows }: WrittenBlock): Promise<void> {
    for (const [part, text] of partsOf(rowsText(rows)).entries())
      await this.#database.run(
        SQL`insert into ${this.#blocks} (owner, source, number, part, hash, content) values
          (${this.#id}, ${quoteMysqlText(source)}, ${number}, ${part}, ${quoteMysqlText(hash)}, ${quoteMysqlText(text)})`,
      );
  }

  async #readBlocks(source: string): Promise<readonly WrittenBlock[]> {
    const { rows } = await this.#database.run(
      SQL`select number, hash, content from ${this.#blocks}
        where ${this.#of(source)} order by number, part`,
    );
    const texts = new Map<number, { readonly hash: string; readonly text: string }>();
    for (const { number, hash, content } of rows) {
      const before = texts.get(Number(number))?.text ?? "";
      texts.set(Number(number), { hash: hash ?? "", text: `${before}${content}` });
    }
    return [...texts].map(([number, { hash, text }]) =>
      keptBlock(source, { number, hash, text }, this.#owner.columns),
    );
  }

  /** The hash of the owner, in SQL. */
  get #id(): SqlFragment {
    const { flow, sink, table } = this.#owner;
    const hash = createHash("sha256")
      .update(JSON.stringify([flow, sink, table.name]))
      .digest("hex");
    return SQL`unhex(${quoteMysqlText(hash)})`;
  }

  get #own(): SqlFragment {
    return SQL`owner = ${this.#id}`;
  }

  #of(source: string): SqlFragment {
    return SQL`${this.#own} and source = ${quoteMysqlText(source)}`;
  }
}

function entryOf({ first, last, held, hash }: MysqlRow): LedgerEntry {
  return { from: Number(first), to: Number(last), rows: Number(held), sum: BigInt(hash ?? 0) };
}

function number(value: number): SqlFragment {
  return SQL`${value}`;
}

/** Cuts a text, but no character that consists of two units. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const isPair = /[\ud800-\udbff]/.test(text.charAt(start + partLength - 1));
    const end = start + partLength - (isPair ? 1 : 0);
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}
