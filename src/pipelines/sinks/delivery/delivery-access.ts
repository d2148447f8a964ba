import type { Shape } from "../../definition/shape.js";
import type { LineageGuard } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { StateOwner, StateReading, StateStore } from "../../state/state-store.js";
import type { PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import type { SinkAccess } from "../sink-type.js";
import { type AuditedDelivery, auditDelivery } from "./audit-delivery.js";
import { DeliverySink } from "./delivery-sink.js";

/** A sink that sends its rows, and how it sends them. */
export interface Delivery extends AuditedDelivery {
  /** Rows from which on they are sent. */
  readonly batchSize: number;
  /** Milliseconds that rows wait for others. */
  readonly flushInterval: number;
  /** Whether rows that are refused are parked. */
  readonly parks: boolean;
  /** Checks the place to which rows are sent. @throws SinkError */
  check?(state: StateReading): Promise<void>;
}

/**
 * How a sink that sends its rows is reached.
 * @param deliveryOf says what a sink sends, and where to; throws a SinkError
 */
export function deliveryAccess<S extends Shape>(
  deliveryOf: (planned: PlannedSinkOf<S>, owner: SinkOwner, world: SinkWorld) => Delivery,
): Required<SinkAccess<S>> {
  return {
    open: async (planned, owner, world) =>
      openDelivery(deliveryOf(planned, owner, world), owner.lineage, world),
    audit: async (planned, owner, world, options, work) =>
      auditDelivery(deliveryOf(planned, owner, world), world, options, work),
    reset: async (planned, owner, world) => forgetSent(world, deliveryOf(planned, owner, world).state),
    parked: async (planned, owner, world) => parkedUnsent(world, deliveryOf(planned, owner, world).state),
  };
}

async function openDelivery(
  delivery: Delivery,
  lineage: LineageGuard | undefined,
  world: SinkWorld,
): Promise<DeliverySink> {
  const { schema, batchSize, flushInterval, parks } = delivery;
  const state = await openSentState(world, delivery.state, lineage);
  try {
    await delivery.check?.(state);
  } catch (error) {
    await state.close();
    throw error;
  }
  const carrier = delivery.carrier(state);
  return new DeliverySink({
    state,
    carrier,
    schema,
    batchSize,
    flushInterval,
    parks,
    clock: world.clock,
  });
}

/**
 * Opens the state of a sink that sends its rows, and keeps in it where they come from.
 * @throws SinkError, also if its rows came from somewhere else
 */
async function openSentState(
  world: Pick<SinkWorld, "openState" | "readState">,
  owner: StateOwner,
  lineage: LineageGuard | undefined,
): Promise<StateStore> {
  // What was sent with other columns cannot be opened.
  const before = lineage && (await world.readState({ ...owner, columns: undefined }));
  if (before) lineage.check({ text: before.kept.lineage, isWritten: before.kept.positions.size > 0 });
  const state = await world.openState(owner);
  try {
    if (lineage && lineage.text !== state.kept.lineage) await state.keepLineage(lineage.text);
    return state;
  } catch (error) {
    await state.close();
    throw error;
  }
}

/** Forgets what was sent, since it cannot be taken back: all of it is sent again. @throws SinkError */
async function forgetSent(world: Pick<SinkWorld, "openState">, owner: StateOwner): Promise<void> {
  const state = await world.openState(owner);
  try {
    await state.forget();
  } finally {
    await state.close();
  }
}

/** Reads the parked changes of a sink, also during a run. @throws SinkError */
async function parkedUnsent(
  world: Pick<SinkWorld, "readState">,
  owner: StateOwner,
): Promise<readonly ParkedChange[]> {
  return (await world.readState(owner))?.kept.parked ?? [];
}
