import type { BlockPointer } from "../../../runtime/chain/chain.js";
import type { ClickHouse, ClickHouseRow } from "../clickhouse-server.js";
import { stateTableName } from "./kept-state.js";
import { quotedTable } from "./target-table.js";

/** The tables of a flow, by the names of their sinks, each with one source. */
export interface PipelineTables {
  readonly flow: string;
  readonly database: string;
  readonly tables: Readonly<Record<string, string>>;
}

/**
 * What tells whether a table has changed. Rows are inserted in one step and their position in a later one, but what a row
 * was is kept before it is replaced or deleted, and a block that is undone is noted even if it had no rows. So rows before the position stayed as they were between two looks if the
 * first one does not find a replacement under way, and `replaced` is the same in both.
 */
export interface TableMark {
  /** Rises with every position that is kept. */
  readonly written: number;
  /** Rises before rows are replaced or deleted, and before a block is undone. */
  readonly replaced: number;
}

/** Whether rows are being replaced, or the process that did so has ended in between. */
export function isReplacing({ written, replaced }: TableMark): boolean {
  return replaced > written;
}

/** How far a table was written, at the time of its mark. */
export interface MarkedPlace extends TableMark {
  /** Rows before the position that have a later version were replaced, or are being replaced. */
  readonly committed: number;
  /** The next block; `undefined` for a table that was never written. */
  readonly next: number | undefined;
  /** The blocks before it that may still be replaced, in their order. */
  readonly open: readonly BlockPointer[];
}

/** The query for the marks of tables, for `marksIn`. It is asked often, so the server does as little as possible. */
export function marksQuery(flow: PipelineTables): {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
} {
  return {
    sql: `SELECT sink, target, kind, serial FROM ${stateOf(flow)} WHERE flow = {flow:String} AND kind IN ('writer', 'before')`,
    parameters: { flow: flow.flow },
  };
}

/** The marks of tables in the rows of `marksQuery`, by the names of their sinks. */
export function marksIn(
  { tables }: PipelineTables,
  rows: readonly ClickHouseRow[],
): ReadonlyMap<string, TableMark> {
  const marks = new Map(Object.keys(tables).map((sink) => [sink, { written: 0, replaced: 0 }]));
  for (const { sink, target, kind, serial } of rows) {
    const mark = marks.get(String(sink));
    if (!mark || tables[String(sink)] !== target) continue;
    if (kind === "writer") mark.written = Math.max(mark.written, Number(serial));
    if (kind === "before") mark.replaced = Math.max(mark.replaced, Number(serial));
  }
  return marks;
}

/** Reads the marks of tables, by the names of their sinks. @throws ClickHouseError */
export async function tableMarks(
  server: ClickHouse,
  flow: PipelineTables,
  settings = "",
): Promise<ReadonlyMap<string, TableMark>> {
  const { sql, parameters } = marksQuery(flow);
  return marksIn(flow, await server.query(`${sql} ${settings}`, parameters));
}

/** Reads how far tables were written, by the names of their sinks, as of one moment. @throws ClickHouseError */
export async function markedPlaces(
  server: ClickHouse,
  flow: PipelineTables,
  settings = "",
): Promise<ReadonlyMap<string, MarkedPlace>> {
  // Rows that are gone count for the marks.
  const rows = await server.query(
    `SELECT sink, kind, source, number, max(serial) AS last, argMax(is_deleted, serial) AS gone,
        argMax(multiIf(kind = 'position', value, kind = 'block', JSONExtractString(value, 'hash'),
          kind = 'writer', toString(JSONExtractUInt(value, 'committed')), ''), serial) AS text
      FROM ${stateOf(flow)} WHERE ${ofTables} AND kind IN ('writer', 'before', 'position', 'block')
      GROUP BY sink, kind, source, number ORDER BY number ${settings}`,
    parametersOf(flow),
  );
  return new Map(
    Object.keys(flow.tables).map((sink) => [sink, placeIn(rows.filter((row) => row.sink === sink))]),
  );
}

function placeIn(rows: readonly ClickHouseRow[]): MarkedPlace {
  const lastOf = (kind: string): number =>
    Math.max(0, ...rows.filter((row) => row.kind === kind).map(({ last }) => Number(last)));
  const kept = rows.filter(({ gone }) => Number(gone) === 0);
  const committed = Number(kept.find(({ kind }) => kind === "writer")?.text ?? 0);
  const position = kept.find(({ kind }) => kind === "position");
  const next = position && Number(position.text);
  const open = kept
    .filter(({ kind, source }) => kind === "block" && source === position?.source)
    .map(({ number, text }) => ({ number: Number(number), hash: String(text) }))
    .filter(({ number }) => next !== undefined && number < next);
  return { written: lastOf("writer"), replaced: lastOf("before"), committed, next, open };
}

/**
 * Notes that the blocks of tables that were written up to a block, and no further, are final. The flow must not run.
 * @throws ClickHouseError
 */
export async function settlePlaces(
  server: ClickHouse,
  flow: PipelineTables,
  lastBlock: number,
): Promise<void> {
  const state = stateOf(flow);
  // The note of the writer is written again, which raises the mark, so that readers of open blocks look again.
  await server.run(
    `INSERT INTO ${state} SELECT flow, sink, target, kind, source, number, if(kind = 'writer', value, ''), serial + 1, kind = 'block'
      FROM ${state} FINAL WHERE ${ofTables} AND kind IN ('block', 'writer') AND (sink, target) IN (
        SELECT sink, target FROM ${state} FINAL WHERE ${ofTables} AND kind = 'position' AND value = {next:String})`,
    { ...parametersOf(flow), next: String(lastBlock + 1) },
  );
}

const ofTables =
  "flow = {flow:String} AND sink IN splitByChar(',', {sinks:String}) AND target IN splitByChar(',', {targets:String})";

function parametersOf({ flow, tables }: PipelineTables): Readonly<Record<string, string>> {
  return { flow, sinks: Object.keys(tables).join(","), targets: Object.values(tables).join(",") };
}

function stateOf({ database }: PipelineTables): string {
  return quotedTable({ database, name: stateTableName });
}
