import { type Database, SQL, type Sql } from "../../../store/database/database.js";
import { rowsFromText, rowsText } from "../../changes/rows-text.js";
import type { FlowColumn } from "../../changes/schema.js";
import { type Positions, SinkError, type WrittenBlock, type WrittenPosition } from "../sink.js";
import type { TargetTable } from "./target-table.js";

/** Whose positions are kept. */
export interface PositionOwner {
  readonly flow: string;
  readonly sink: string;
  /** The table that is written: rows of another one are at another place. */
  readonly table: TargetTable;
  /** The columns of the rows that the sink takes. */
  readonly columns: readonly FlowColumn[];
}

const creation = SQL`create schema if not exists graphloom_flows;
  create table if not exists graphloom_flows.positions (
    flow text not null, sink text not null, target text not null, source text not null,
    next bigint not null, version bigint not null, primary key (flow, sink, target, source));
  create table if not exists graphloom_flows.open_blocks (
    flow text not null, sink text not null, target text not null, source text not null,
    number bigint not null, hash text not null, rows text not null,
    primary key (flow, sink, target, source, number))`;

/** The rows of one table of one sink. */
const ofTable = SQL`flow = $1::text and sink = $2::text and target = $3::text`;

/**
 * How far each source has been written. It is kept beside the table and written in the same transaction, so that the two
 * always agree. Blocks that may still be replaced are kept with their rows, since their node forgets them.
 */
export class KeptPositions {
  readonly #owner: PositionOwner;
  /** How often the position of each source has been written. */
  readonly #versions = new Map<string, bigint>();

  constructor(owner: PositionOwner) {
    this.#owner = owner;
  }

  /** Makes sure that there are tables for positions. @throws DatabaseError */
  async prepare(database: Database): Promise<void> {
    await database.run(creation);
  }

  /** Forgets what was written into a table that is gone, within the transaction that creates it again. */
  async forget(sql: Sql): Promise<void> {
    await sql.query(SQL`delete from graphloom_flows.positions where ${ofTable}`, this.#own);
    await sql.query(SQL`delete from graphloom_flows.open_blocks where ${ofTable}`, this.#own);
  }

  /** @throws DatabaseError; SinkError if what is kept cannot be read */
  async read(database: Database): Promise<Positions> {
    const positions = await database.query(
      SQL`select source, next, version from graphloom_flows.positions where ${ofTable}`,
      this.#own,
    );
    const blocks = await database.query(
      SQL`select source, number, hash, rows from graphloom_flows.open_blocks where ${ofTable} order by source, number`,
      this.#own,
    );
    const { columns } = this.#owner;
    for (const { source, version } of positions) this.#versions.set(source ?? "", BigInt(version ?? "0"));
    return new Map(
      positions.map(({ source, next }) => {
        const open = blocks
          .filter((block) => block.source === source)
          .map((block) => openRows(block, columns));
        return [source ?? "", { next: Number(next), open }];
      }),
    );
  }

  /**
   * Keeps the position of a source, within the transaction that writes the rows which lead to it. Call `written` once it
   * is committed.
   * @throws SinkError if somebody else has written the position
   */
  async write(sql: Sql, source: string, { next, open }: WrittenPosition): Promise<void> {
    const { flow, sink } = this.#owner;
    const own = [...this.#own, source];
    const version = this.#versions.get(source);
    const written = await sql.query(
      version === undefined
        ? SQL`insert into graphloom_flows.positions (flow, sink, target, source, next, version)
            values ($1::text, $2::text, $3::text, $4::text, $5::bigint, 0) on conflict do nothing returning 1`
        : SQL`update graphloom_flows.positions set next = $5::bigint, version = version + 1
            where ${ofTable} and source = $4::text and version = $6::bigint returning 1`,
      [...own, String(next), ...(version === undefined ? [] : [String(version)])],
    );
    if (written.length === 0)
      throw new SinkError(
        `Another run of pipeline ${flow} writes sink ${sink}. Stop one of them; nothing of this one's last batch was written.`,
        false,
      );
    const kept = JSON.stringify(open.map(({ number, hash }) => ({ number, hash })));
    await sql.query(
      SQL`delete from graphloom_flows.open_blocks b where ${ofTable} and source = $4::text
        and not exists (
          select 1 from jsonb_to_recordset($5::jsonb) as k (number bigint, hash text) where k.number = b.number and k.hash = b.hash)`,
      [...own, kept],
    );
    const last = open.at(-1);
    // Blocks are added one by one, so all others are there.
    if (last)
      await sql.query(
        SQL`insert into graphloom_flows.open_blocks (flow, sink, target, source, number, hash, rows)
          values ($1::text, $2::text, $3::text, $4::text, $5::bigint, $6::text, $7::text) on conflict do nothing`,
        [...own, String(last.number), last.hash, rowsText(last.rows)],
      );
  }

  /** The parameters of `ofTable`. */
  get #own(): readonly [string, string, string] {
    const { flow, sink, table } = this.#owner;
    return [flow, sink, JSON.stringify([table.schema, table.name])];
  }

  /** Notes that the position of a source was committed. */
  written(source: string): void {
    this.#versions.set(source, (this.#versions.get(source) ?? -1n) + 1n);
  }
}

function openRows(
  block: Readonly<Record<string, string | null>>,
  columns: readonly FlowColumn[],
): WrittenBlock {
  const rows = rowsFromText(block.rows ?? "", columns);
  if (!rows)
    throw new SinkError(
      `The database keeps rows of block ${block.number} of source ${block.source}, which have other columns than the sink has now. Give the pipeline another name and table, or restore its definition.`,
      false,
    );
  return { number: Number(block.number), hash: block.hash ?? "", rows };
}
