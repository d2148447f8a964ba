import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import { acceptingGuard, changesSince, isBarred } from "../runner/guard-lineage.js";
import { keptLineage } from "../runner/kept-lineage.js";
import { sourcesOf } from "../runner/program.js";
import { sinkTypeOf } from "../sinks/all-sinks.js";
import type { AuditedWorld } from "../sinks/audit.js";
import type { LineageChange } from "../sinks/lineage/lineage-changes.js";
import { columnsText, readLineage, type SinkLineage, sinkLineage } from "../sinks/lineage/sink-lineage.js";
import { emptySink, openSink } from "../sinks/open-sink.js";
import { settledBefore } from "../state/sink-batch.js";
import type { SinkError } from "../state/sink-error.js";
import { goBack, type Say, writing } from "./go-back.js";

/** A sink, and how its rows are computed differently than the rows that it has. */
export interface ChangedSink {
  readonly sink: PlannedSink;
  /** None if it has no rows, or if they are computed as now. */
  readonly changes: readonly LineageChange[];
  /** Whether it has rows, or would have some if its sources had. */
  readonly isWritten: boolean;
  /** How its rows were computed, if that is known. */
  readonly before: SinkLineage | undefined;
}

/**
 * Compares how the rows of a sink are computed now and how its existing rows were. Does not write.
 * @throws SinkError
 */
export async function changedSink(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: AuditedWorld,
): Promise<ChangedSink> {
  const kept = await keptLineage(plan, sink, world);
  const { text, isWritten } = kept;
  const changes = changesSince(kept, sinkLineage(plan, sink));
  return { sink, changes, isWritten, before: text === undefined ? undefined : readLineage(text) };
}

/**
 * Finds the sinks of a pipeline whose rows are computed differently than before. Does not write.
 * @param isLeftOut whether a sink that fails like this is left out; it says why, and is compared, when it is opened
 * @throws SinkError
 */
export async function changedSinks(
  plan: PipelinePlan,
  world: AuditedWorld,
  isLeftOut: (error: unknown) => boolean,
): Promise<readonly ChangedSink[]> {
  const found = await Promise.all(
    plan.sinks.map((sink) =>
      changedSink(plan, sink, world).catch((error: unknown) => {
        if (isLeftOut(error)) return undefined;
        throw error;
      }),
    ),
  );
  return found.filter((one) => one !== undefined).filter(({ changes }) => changes.length > 0);
}

/** A sink with the settings under which its rows were written, so that their state can be read. */
export function asWritten({ sink, before }: Pick<ChangedSink, "sink" | "before">): PlannedSink {
  return before ? { ...sink, schema: { columns: before.columns, key: before.key } } : sink;
}

/**
 * Lets a sink, which must not run, continue at its position although its rows are now computed differently. Existing
 * rows stay unchanged. If they have other columns, rows of blocks that may still be undone are deleted first, and are
 * then written again.
 * @throws SinkError
 */
export async function continueSink(
  plan: PipelinePlan,
  changed: ChangedSink,
  world: AuditedWorld,
  say: Say,
): Promise<void> {
  const { sink, before } = changed;
  const { columns, key } = sink.schema;
  const isOther =
    before !== undefined &&
    (columnsText(before.columns) !== columnsText(columns) || String(before.key) !== String(key));
  if (isOther)
    await writing(plan, asWritten(changed), world, async (writer, positions) => {
      for (const [source, from] of positions)
        if (from.open.length > 0) {
          const next = settledBefore(from);
          await goBack(asWritten(changed), writer, { source, from, next });
        }
    });
  await adopt(plan, sink, world);
  say(`Sink ${sink.name} goes on: rows that it has stay as they were computed`);
}

/**
 * Empties a sink, which must not run, as far as it can be emptied, so that it reads its sources from their start.
 * @param recreates whether tables that it has created are dropped and created again
 * @throws SinkError
 */
export async function resetSink(
  plan: PipelinePlan,
  changed: ChangedSink,
  recreates: boolean,
  world: AuditedWorld,
): Promise<void> {
  const sources = sourcesOf(plan, changed.sink).map(({ name }) => name);
  await emptySink(asWritten(changed), { flow: plan.name, sources }, world, recreates);
  await adopt(plan, changed.sink, world);
}

/** Keeps how the rows of a sink are computed now. */
async function adopt(plan: PipelinePlan, sink: PlannedSink, world: AuditedWorld): Promise<void> {
  const sources = sourcesOf(plan, sink).map(({ name }) => name);
  const lineage = acceptingGuard(sinkLineage(plan, sink));
  const writer = await openSink(sink, { flow: plan.name, sources, lineage }, world);
  await writer.close();
}

/** The options for a sink whose rows are computed differently. */
export interface ChangeChoices {
  /** Whether it can continue at its position. */
  readonly continues: boolean;
  /** What starting over means, as a sentence without a final period; `undefined` if it cannot. */
  readonly resets: string | undefined;
  /** Another option if it cannot start over. */
  readonly otherwise?: string;
}

/**
 * The options for a sink.
 * @param recreates whether tables are to be dropped
 */
export function choicesOf({ sink, changes }: ChangedSink, recreates: boolean): ChangeChoices {
  const continues = !isBarred(changes);
  const { place } = sinkTypeOf(sink.definition.type);
  switch (place) {
    case "table":
    case "versions":
      if (!recreates && changes.some(({ needsTable }) => needsTable))
        return {
          continues,
          resets: undefined,
          otherwise: "Its table has another form now: make it again with --recreate",
        };
      return {
        continues,
        resets: recreates
          ? "its table is dropped, made again and filled from the start of its sources"
          : "all rows of its table are deleted, and it is filled from the start of its sources",
      };
    case "messages":
      return {
        continues,
        resets: "what it has sent cannot be taken back; all rows are sent again, with other numbers",
      };
    case "documents":
      return {
        continues,
        resets:
          "its documents stay until rows with their keys come again; documents of rows that are not made any more stay for good",
      };
    case "files":
      return {
        continues,
        resets: undefined,
        otherwise: "Give it another place; its files stay where they are",
      };
    case "topic":
      return {
        continues,
        resets: undefined,
        otherwise: "Give it another topic; its messages stay where they are",
      };
    case "nothing":
      return { continues, resets: "it keeps nothing" };
  }
}

/** Whether an error says that a sink is currently unreachable. */
export function isAway(error: unknown): error is SinkError {
  return error instanceof Error && error.name === "SinkError" && (error as SinkError).isTemporary;
}
