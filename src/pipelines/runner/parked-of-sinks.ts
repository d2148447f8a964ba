import { nodesBefore } from "../plan/nodes-before.js";
import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import { openSink, readParked } from "../sinks/open-sink.js";
import type { SinkOwner, SinkWorld } from "../sinks/opening.js";
import { keyValues, type ParkedChange } from "../state/parked-change.js";
import { dropParked, type ParkedChoice, type ParkedOutcome, retryParked } from "./parked-changes.js";

/** Values of key columns as text; a change is chosen if it has all of them. Without any, all changes are chosen. */
export type KeyTexts = ReadonlyMap<string, string>;

/**
 * Reads a sink's parked changes in order, including dropped ones. A run may write it meanwhile.
 * @throws SinkError
 */
export async function parkedOf(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: SinkWorld,
): Promise<readonly ParkedChange[]> {
  return (await readParked(sink, ownerOf(plan, sink), world)) ?? [];
}

/** Reads a sink's parked changes of a key that are to be written. @throws SinkError */
export async function waitingOf(
  plan: PipelinePlan,
  sink: PlannedSink,
  key: KeyTexts,
  world: SinkWorld,
): Promise<readonly ParkedChange[]> {
  const changes = await parkedOf(plan, sink, world);
  return changes.filter((change) => change.droppedAt === undefined && hasKey(change, sink, key));
}

function hasKey(change: ParkedChange, { schema }: PlannedSink, key: KeyTexts): boolean {
  const values = keyValues(change, schema);
  return [...key].every(([column, text]) => String(values.get(column) ?? null) === text);
}

/**
 * Writes or drops parked changes of a sink. It writes each key's changes in order, as far as the sink accepts them. No
 * other process may write the sink meanwhile.
 * @param reread reads messages again that could not be read; required if some are retried
 * @throws SinkError, and what reading throws
 */
export async function settleParkedOf(
  plan: PipelinePlan,
  sink: PlannedSink,
  how: "retry" | "drop",
  key: KeyTexts,
  world: SinkWorld,
  reread?: ParkedChoice["reread"],
): Promise<ParkedOutcome> {
  const choice = {
    ...(reread && { reread }),
    isChosen: (change: ParkedChange) => hasKey(change, sink, key),
    now: () => world.clock.now(),
  };
  const opened = await openSink(sink, ownerOf(plan, sink), world);
  try {
    return await (how === "retry" ? retryParked : dropParked)(opened, sink.schema, choice);
  } finally {
    await opened.close();
  }
}

function ownerOf(plan: PipelinePlan, sink: PlannedSink): SinkOwner {
  const needed = nodesBefore(sink.from, plan);
  const sources = plan.sources.map(({ name }) => name).filter((name) => needed.has(name));
  return { flow: plan.name, sources };
}
