import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import type { LedgerEntry } from "../../../src/pipelines/changes/ledger.js";
import { netChanges } from "../../../src/pipelines/changes/net-changes.js";
import { noRows, type Rows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowSchema } from "../../../src/pipelines/changes/schema.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { KeptLineage, LineageGuard } from "../../../src/pipelines/state/lineage-guard.js";
import type { ParkedChange } from "../../../src/pipelines/state/parked-change.js";
import type { SinkBatch, WrittenBlock, WrittenPosition } from "../../../src/pipelines/state/sink-batch.js";
import { type Row, SQL, type SqlFragment, uncheckedSql } from "../../../src/store/database/database.js";

/** Whose state it is. */
export const earlierOwner = { flow: "kept", sink: "out" };

/** The rows of the sink: a column of each kind that a state keeps in a form of its own. */
export const earlierSchema: RowSchema = {
  columns: [
    { name: "id", type: "STRING", nullable: false },
    { name: "long", type: "LONG", nullable: true },
    { name: "double", type: "DOUBLE", nullable: true },
    { name: "boolean", type: "BOOLEAN", nullable: true },
    { name: "timestamp", type: "TIMESTAMP", nullable: true },
    { name: "list", type: "ARRAY<STRING>", nullable: true },
  ],
  key: ["id"],
};

/** What the rows of the state are computed from. */
export const earlierLineage = "the lineage of version 0.1.0";

function rowsOf(...rows: readonly (readonly RowValue[])[]): Rows {
  return {
    count: rows.length,
    columns: earlierSchema.columns.map((_, column) => rows.map((row) => row[column] ?? null)),
  };
}

const odd = rowsOf(
  ["it's \\ ß😀", 9_223_372_036_854_775_807n, 0.5, true, 1_700_000_000_000_000n, ["a", 'b,"c']],
  ["none"],
);

const open: readonly WrittenBlock[] = [
  { number: 10, hash: "0xa10", rows: odd },
  { number: 11, hash: "0xa11", rows: rowsOf() },
];

const parked: readonly ParkedChange[] = [
  {
    number: 1,
    source: "s",
    from: 11,
    to: 11,
    operation: "u",
    row: rowsOf(["late", 7n]),
    before: rowsOf(["late", 6n]),
    reason: "it's too large",
    at: 1_700_000_000_000,
    droppedAt: undefined,
  },
  {
    number: 2,
    source: "s",
    from: 11,
    to: 11,
    operation: "d",
    row: rowsOf(["late", 7n]),
    before: undefined,
    reason: undefined,
    at: 1_700_000_000_001,
    droppedAt: 1_700_000_000_002,
  },
];

/** The state of the source `s`; `other` has been written up to its block 4. */
export const earlierState = {
  position: { next: 12, open },
  parked,
  ledger: [
    { from: 0, to: 9, rows: 2, sum: 340_282_366_920_938_463_463_374_607_431_768_211_455n },
    { from: 10, to: 10, rows: 2, sum: 12n },
    { from: 11, to: 11, rows: -1, sum: 0n },
  ],
} as const satisfies Record<string, unknown>;

/** A batch of the source `s`. */
function batchOf(
  from: number,
  to: number,
  of: Omit<SinkBatch, "source" | "from" | "to" | "changes"> & { rows?: Rows },
): SinkBatch {
  const { rows = rowsOf(), ...rest } = of;
  const changes = netChanges({ minus: noRows(earlierSchema.columns.length), plus: rows }, earlierSchema);
  return { source: "s", from, to, changes, ...rest };
}

/** The SQL of a fixture. @param name what it is called before its version */
export async function earlierScript(name: string): Promise<SqlFragment> {
  const file = new URL(`../../pipelines/state/${name}-0.1.0.sql`, import.meta.url);
  return uncheckedSql(await readFile(file, "utf8"));
}

/** A ledger as a database has it. */
export function ledgerOfRows(rows: readonly Row[]): readonly LedgerEntry[] {
  return rows.map(({ first, last, rows: count, sum }) => ({
    from: Number(first),
    to: Number(last),
    rows: Number(count),
    sum: BigInt(sum ?? 0),
  }));
}

/** Reads the ledger of the source `s` in PostgreSQL. */
export const earlierLedger = SQL`select first, last, rows, sum from graphloom_flows.ledger where source = 's' order by first`;

/**
 * Opens a sink over the state that version 0.1.0 has left, and goes on: what was kept is there, and the next block makes
 * of it what it should be.
 * @param open opens the sink, whose lineage is `earlierLineage`
 * @param ledger reads the ledger of the source `s` in order
 */
export async function expectContinued(
  open: (lineage: LineageGuard) => Promise<Sink>,
  ledger: () => Promise<readonly LedgerEntry[]>,
): Promise<void> {
  const lineages: KeptLineage[] = [];
  const opened = (): Promise<Sink> =>
    open({ text: earlierLineage, check: (kept) => void lineages.push(kept) });
  const sink = await opened();
  expect(lineages).toEqual([{ text: earlierLineage, isWritten: true }]);
  expect(sink.positions).toEqual(
    new Map<string, WrittenPosition>([
      ["s", earlierState.position],
      ["other", { next: 5, open: [] }],
    ]),
  );
  const parks = sink.parked !== undefined;
  if (parks) expect(sink.parked).toEqual(parked);
  expect(await ledger()).toEqual(earlierState.ledger);
  const block: WrittenBlock = { number: 12, hash: "0xa12", rows: rowsOf(["c", 3n]) };
  const position = { next: 13, open: [...earlierState.position.open.slice(1), block] };
  const entry = { from: 12, to: 12, rows: 1, sum: 3n };
  const waiting = parked.slice(1);
  await sink.write(
    batchOf(12, 12, {
      rows: block.rows,
      position,
      ledger: entry,
      ...(parks && { parked: { removed: [1], put: [] } }),
    }),
  );
  const again = await opened();
  expect(again.positions.get("s")).toEqual(position);
  if (parks) expect(again.parked).toEqual(waiting);
  const [first, second, third] = earlierState.ledger;
  const sum = BigInt.asUintN(128, first.sum + second.sum);
  const settled = { from: 0, to: 10, rows: first.rows + second.rows, sum };
  expect(await ledger()).toEqual([settled, third, entry]);
  // The block is undone, and the sink goes on without it.
  const before = { next: 12, open: position.open.slice(0, 1) };
  await again.write(batchOf(12, 12, { position: before, ledger: undefined }));
  expect((await opened()).positions.get("s")).toEqual(before);
  expect(await ledger()).toEqual([settled, third]);
}
