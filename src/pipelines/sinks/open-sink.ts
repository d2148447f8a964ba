import type { Shape } from "../definition/shape.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { ParkedChange } from "../state/parked-change.js";
import { SinkError } from "../state/sink-error.js";
import { sinkTypeOf } from "./all-sinks.js";
import type { AuditSink } from "./audit.js";
import type { SinkOwner, SinkWorld } from "./opening.js";
import type { Sink } from "./sink.js";

/**
 * Opens a sink.
 * @throws SinkError
 */
export async function openSink(planned: PlannedSink, owner: SinkOwner, world: SinkWorld): Promise<Sink> {
  const { open } = await sinkTypeOf(planned.definition.type).load();
  return open(planned, owner, world);
}

/** How a sink of a type is opened for audits; `undefined` if it keeps no ledger. */
export async function auditorOf(type: string): Promise<AuditSink<Shape> | undefined> {
  return (await sinkTypeOf(type).load()).audit;
}

/**
 * Empties a sink, as far as it can be emptied, while no process writes it, and forgets how far its sources were written.
 * @param recreates whether tables that it has made are dropped, so that they are made again
 * @throws SinkError
 */
export async function emptySink(
  planned: PlannedSink,
  owner: SinkOwner,
  world: SinkWorld,
  recreates: boolean,
): Promise<void> {
  const { type } = planned.definition;
  const { reset } = await sinkTypeOf(type).load();
  if (!reset) throw new SinkError(`A sink of type ${type} cannot be emptied. Give it another place.`, false);
  await reset(planned, owner, world, recreates);
}

/**
 * Reads what a sink keeps aside, and changes nothing. A run may write the sink meanwhile.
 * @returns `undefined` for a sink that keeps nothing aside
 * @throws SinkError
 */
export async function readParked(
  planned: PlannedSink,
  owner: SinkOwner,
  world: SinkWorld,
): Promise<readonly ParkedChange[] | undefined> {
  const { parked } = await sinkTypeOf(planned.definition.type).load();
  return parked?.(planned, owner, world);
}
