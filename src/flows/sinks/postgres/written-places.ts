import type { BlockPointer } from "../../../runtime/chain/chain.js";
import { SQL, type Sql } from "../../../store/database/database.js";
import type { TargetTable } from "../tables/target-table.js";

/** How far a source was written into a table. */
export interface WrittenPlace {
  readonly source: string;
  /** The next block. */
  readonly next: number;
  /** The blocks before it that may still be replaced, in their order, without their rows. */
  readonly open: readonly BlockPointer[];
}

/**
 * Reads how far the sources of a sink were written into a table, as committed with its rows. Read both in one transaction.
 * @returns nothing for a table that was never written
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
  return rows.map(({ source, next, open }) => ({
    source: source ?? "",
    next: Number(next),
    open: JSON.parse(open ?? "[]") as BlockPointer[],
  }));
}

/** Forgets how far the sinks of a flow were written, because their tables are gone. The tables of positions must be there. @throws DatabaseError */
export async function forgetPlaces(sql: Sql, flow: string): Promise<void> {
  for (const table of [SQL`positions`, SQL`open_blocks`, SQL`ledger`, SQL`parked`])
    await sql.query(SQL`delete from graphloom_flows.${table} where flow = $1::text`, [flow]);
}
