import type { BlockPointer } from "../../../runtime/chain/chain.js";
import type { ClickHouse, ClickHouseRow } from "../clickhouse-server.js";
import { stateTableName } from "./state-rows.js";
import { quotedTable } from "./target-table.js";

/** The tables of a pipeline, by the names of their sinks. Each has one source. */
export interface PipelineTables {
  readonly flow: string;
  readonly database: string;
  readonly tables: Readonly<Record<string, string>>;
}

/**
 * Shows whether a table has changed. Rows are inserted first and their position later. But the state has old rows before
 * they are replaced or deleted, and a note of each undone block, even of one without rows. So rows before the position
 * have not changed between two reads of the mark if the first read finds no replacement in progress, and `replaced` is the
 * same in both.
 */
export interface TableMark {
  /** Rises whenever a position is written. */
  readonly written: number;
  /** Rises before rows are replaced or deleted, and before a block is undone. */
  readonly replaced: number;
}

/** Whether rows are being replaced, or the process has ended while it replaced them. */
export function isReplacing({ written, replaced }: TableMark): boolean {
  return replaced > written;
}

/** How far a table was written when its mark was read. */
export interface MarkedPlace extends TableMark {
  /** A row before the position that has a later version was replaced, or is being replaced. */
  readonly committed: number;
  /** The next block; `undefined` for a table that was never written. */
  readonly next: number | undefined;
  /** The blocks before it that may still be replaced, in order. */
  readonly open: readonly BlockPointer[];
}

/** The query that reads the marks of tables for `marksIn`. It runs often, so it does as little as possible. */
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

/** Reads how far tables were written, by the names of their sinks, as of one moment. @throws ClickHouseError */
export async function markedPlaces(
  server: ClickHouse,
  flow: PipelineTables,
  settings = "",
): Promise<ReadonlyMap<string, MarkedPlace>> {
  // Deleted rows count for the marks.
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
 * Marks the blocks of all tables that were written exactly up to a block as final. The pipeline must not run.
 * @throws ClickHouseError
 */
export async function settlePlaces(
  server: ClickHouse,
  flow: PipelineTables,
  lastBlock: number,
): Promise<void> {
  const state = stateOf(flow);
  // Writing the writer's note again raises the mark, so that readers of open blocks read again.
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
