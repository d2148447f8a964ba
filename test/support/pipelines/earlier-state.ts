import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import type { LedgerEntry } from "../../../src/pipelines/changes/ledger.js";
import { netChanges } from "../../../src/pipelines/changes/net-changes.js";
import type { Rows, RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowSchema } from "../../../src/pipelines/changes/schema.js";
import type { SinkDefinition } from "../../../src/pipelines/definition/definition.js";
import { openTemporaryScratch } from "../../../src/pipelines/machine/temporary-scratch.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { auditorOf, openSink } from "../../../src/pipelines/sinks/open-sink.js";
import type { SinkOwner, SinkWorld } from "../../../src/pipelines/sinks/opening.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { KeptLineage, LineageGuard } from "../../../src/pipelines/state/lineage-guard.js";
import type { ParkedChange } from "../../../src/pipelines/state/parked-change.js";
import type { SinkBatch, WrittenBlock, WrittenPosition } from "../../../src/pipelines/state/sink-batch.js";
import { type Row, SQL, type SqlFragment, uncheckedSql } from "../../../src/store/database/database.js";
import { sinkDefinition } from "./law-pipeline.js";

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

const openBlocks: readonly WrittenBlock[] = [
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
  position: { next: 12, open: openBlocks },
  parked,
  ledger: [
    { from: 0, to: 9, rows: 2, sum: 340_282_366_920_938_463_463_374_607_431_768_211_455n },
    { from: 10, to: 10, rows: 2, sum: 12n },
    { from: 11, to: 11, rows: -1, sum: 0n },
  ],
} as const satisfies Record<string, unknown>;

/** What is kept of a source once a sink is opened, and has finished what was begun. */
interface ContinuedState {
  readonly position: WrittenPosition;
  readonly ledger: readonly LedgerEntry[];
}

/** The same in a sink of files, which has final rows only: a file for each entry of the ledger. */
export const earlierFiles: ContinuedState = {
  position: { next: 12, open: [] },
  ledger: [earlierState.ledger[0], { from: 10, to: 11, rows: 2, sum: 12n }],
};

/** The same in a bucket, where the begun file is given up. */
export const earlierObjects: ContinuedState = {
  position: { next: 10, open: [] },
  ledger: earlierFiles.ledger.slice(0, 1),
};

/** A batch of the source `s`. */
function batchOf(
  from: number,
  to: number,
  of: Omit<SinkBatch, "source" | "from" | "to" | "changes"> & { minus?: Rows; plus?: Rows },
): SinkBatch {
  const { minus = rowsOf(), plus = rowsOf(), ...rest } = of;
  return { source: "s", from, to, changes: netChanges({ minus, plus }, earlierSchema), ...rest };
}

/** The text of a fixture. @param file `webhook-0.1.0.journal` */
export function earlierText(file: string): Promise<string> {
  return readFile(new URL(`../../pipelines/state/${file}`, import.meta.url), "utf8");
}

/** The files of a fixture by their paths. It has them as JSON, or in Base64. */
export async function earlierContents(fixture: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const contents: Readonly<Record<string, string | object>> = JSON.parse(await earlierText(fixture));
  return Object.fromEntries(
    Object.entries(contents).map(([path, content]) => [
      path,
      typeof content === "string"
        ? Buffer.from(content, "base64")
        : Buffer.from(`${JSON.stringify(content, null, 2)}\n`),
    ]),
  );
}

/** The SQL of a fixture. @param name what it is called before its version */
export async function earlierScript(name: string): Promise<SqlFragment> {
  return uncheckedSql(await earlierText(`${name}-0.1.0.sql`));
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

/** A sink whose state is read as an audit reads it. */
export interface EarlierSink {
  readonly type: SinkDefinition["type"];
  readonly settings: Readonly<Record<string, string | number>>;
  readonly world: SinkWorld;
}

/** The sink as a plan has it, and whose it is. */
export function plannedEarlier({ type, settings }: EarlierSink, lineage?: LineageGuard): EarlierPlan {
  const definition = sinkDefinition({ type, settings });
  const planned = { name: earlierOwner.sink, definition, from: "rows", schema: earlierSchema };
  return { planned, owner: { flow: earlierOwner.flow, sources: ["s", "other"], lineage } };
}

interface EarlierPlan {
  readonly planned: PlannedSink;
  readonly owner: SinkOwner;
}

/** The same as `expectContinued` for a sink of a definition. */
export async function expectSinkContinued(sink: EarlierSink, state?: ContinuedState): Promise<void> {
  const audit = await auditorOf(sink.type);
  const world = { ...sink.world, openScratch: openTemporaryScratch };
  const options = { mends: false, most: 0 };
  await expectContinued(
    (lineage) => {
      const { planned, owner } = plannedEarlier(sink, lineage);
      return openSink(planned, owner, sink.world);
    },
    async () => {
      const { planned, owner } = plannedEarlier(sink);
      const states = await audit?.(planned, owner, world, options, (open) => open.states());
      return (states?.get("s")?.ledger ?? []) as readonly LedgerEntry[];
    },
    state,
  );
}

/**
 * Opens a sink over the state that version 0.1.0 has left, and goes on: what was begun is finished, what was kept is there,
 * and the next block makes of it what it should be.
 * @param open opens the sink, whose lineage is `earlierLineage`
 * @param ledger reads the ledger of the source `s` in order
 * @param couldPark whether the sink could park rows in that version
 */
export async function expectContinued(
  open: (lineage: LineageGuard) => Promise<Sink>,
  ledger: () => Promise<readonly LedgerEntry[]>,
  state: ContinuedState = earlierState,
  couldPark = true,
): Promise<void> {
  const lineages: KeptLineage[] = [];
  const opened = (): Promise<Sink> =>
    open({ text: earlierLineage, check: (kept) => void lineages.push(kept) });
  const sink = await opened();
  expect(lineages).toEqual([{ text: earlierLineage, isWritten: true }]);
  expect(sink.positions).toEqual(
    new Map<string, WrittenPosition>([
      ["s", state.position],
      ["other", { next: 5, open: [] }],
    ]),
  );
  // Sinks that keep their state in a log could not park rows then.
  const parks = couldPark && sink.parked !== undefined && sink.unfinished === undefined;
  expect(sink.parked ?? []).toEqual(parks ? parked : []);
  for (const batch of sink.unfinished ?? []) await sink.write(batch);
  expect(await ledger()).toEqual(state.ledger);
  const block: WrittenBlock = { number: 12, hash: "0xa12", rows: rowsOf(["c", 3n]) };
  const isFinal = state !== earlierState;
  const position = { next: 13, open: isFinal ? [] : [...openBlocks.slice(1), block] };
  const from = state.position.next;
  const entry = { from, to: 12, rows: 1, sum: 3n };
  await written(
    sink,
    batchOf(from, 12, {
      plus: block.rows,
      position,
      ledger: entry,
      ...(parks && { parked: { removed: [1], put: [] } }),
    }),
  );
  const again = await opened();
  expect(again.positions.get("s")).toEqual(position);
  if (parks) expect(again.parked).toEqual(parked.slice(1));
  const [first, second, third] = earlierState.ledger;
  const sum = BigInt.asUintN(128, first.sum + second.sum);
  const settled = [{ from: 0, to: 10, rows: first.rows + second.rows, sum }, third];
  expect(await ledger()).toEqual([...(isFinal ? state.ledger : settled), entry]);
  if (isFinal) return again.close();
  // The block is undone, and the sink goes on without it.
  const before = { next: 12, open: position.open.slice(0, 1) };
  await written(again, batchOf(12, 12, { minus: block.rows, position: before, ledger: undefined }));
  const last = await opened();
  expect(last.positions.get("s")).toEqual(before);
  expect(await ledger()).toEqual(settled);
  await last.close();
}

/** Writes a batch as the last one of a run. */
async function written(sink: Sink, batch: SinkBatch): Promise<void> {
  await sink.write(batch);
  await sink.end?.("s", batch.position.next);
  await sink.close();
}
