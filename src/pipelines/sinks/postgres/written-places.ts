import type { BlockPointer } from "../../../runtime/chain/chain.js";
import { cell } from "../../../store/database/columns.js";
import { SQL, type Sql } from "../../../store/database/database.js";
import { arrayText } from "../../../store/database/sql-array.js";
import type { TargetTable } from "../tables/target-table.js";

/** The last position of a source in a table. */
export interface WrittenPlace {
  readonly source: string;
  /** The next block. */
  readonly next: number;
  /** The blocks before it that may still be replaced, in order, without their rows. */
  readonly open: readonly BlockPointer[];
}

/**
 * Reads the positions of a sink's sources, as committed with the rows of its table. Read both in one transaction.
 * @returns an empty list if the table was never written
 * @throws DatabaseError
 */
export async function writtenPlaces(
  sql: Sql,
  { flow, sink, table }: { readonly flow: string; readonly sink: string; readonly table: TargetTable },
): Promise<readonly WrittenPlace[]> {
  const rows = await sql.query(
    SQL`select p.source, p.next,
        (select coalesce(json_agg(json_build_object('number', b.number, 'hash', b.hash) order by b.number), '[]')
          from graphloom_flows.open_blocks b
          where b.flow = p.flow and b.sink = p.sink and b.target = p.target and b.source = p.source) as open
      from graphloom_flows.positions p
      where p.flow = $1::text and p.sink = $2::text and p.target = $3::text and p.source <> ''`,
    [flow, sink, JSON.stringify([table.schema, table.name])],
    { isFixed: true },
  );
  return rows.map((row) => ({
    source: cell(row, "source"),
    next: Number(row.next),
    open: JSON.parse(cell(row, "open")) as BlockPointer[],
  }));
}

/** How far a table is written, without open blocks. */
export interface WrittenEnd {
  readonly sink: string;
  /** The last block. */
  readonly last: number;
  /** The last final block. */
  readonly final: number;
}

/**
 * Reads how far the tables of a flow are written, as committed with their rows.
 * @param tables by sink name, each with one source
 * @returns no entry for a table that was never written
 * @throws DatabaseError
 */
export async function writtenEnds(
  sql: Sql,
  flow: string,
  tables: Readonly<Record<string, TargetTable>>,
): Promise<readonly WrittenEnd[]> {
  const rows = await sql.query(
    SQL`select p.sink, p.next - 1 as last, coalesce(min(b.number), p.next) - 1 as final
      from unnest($2::text[], $3::text[]) as given (sink, target)
      join graphloom_flows.positions p on p.flow = $1::text and p.sink = given.sink and p.target = given.target and p.source <> ''
      left join graphloom_flows.open_blocks b
        on b.flow = p.flow and b.sink = p.sink and b.target = p.target and b.source = p.source
      group by p.sink, p.target, p.source, p.next`,
    [
      flow,
      arrayText(Object.keys(tables)),
      arrayText(Object.values(tables).map(({ schema, name }) => JSON.stringify([schema, name]))),
    ],
    { isFixed: true },
  );
  return rows.map((row) => ({
    sink: cell(row, "sink"),
    last: Number(row.last),
    final: Number(row.final),
  }));
}

/**
 * Records that the blocks of sinks whose last block is the given one are final. The flow must not be running.
 * @throws DatabaseError
 */
export async function settlePlaces(sql: Sql, flow: string, lastBlock: number): Promise<void> {
  await sql.query(
    SQL`delete from graphloom_flows.open_blocks b using graphloom_flows.positions p
      where p.flow = $1::text and p.next = $2::bigint + 1
        and b.flow = p.flow and b.sink = p.sink and b.target = p.target and b.source = p.source`,
    [flow, String(lastBlock)],
  );
}

/**
 * Deletes the positions of a flow's sinks, because their tables are gone. The tables of positions must exist.
 * @throws DatabaseError
 */
export async function forgetPlaces(sql: Sql, flow: string): Promise<void> {
  for (const table of [SQL`positions`, SQL`open_blocks`, SQL`ledger`, SQL`parked`])
    await sql.query(SQL`delete from graphloom_flows.${table} where flow = $1::text`, [flow]);
}
