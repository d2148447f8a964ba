import type { LineageGuard } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { StateOwner, StateStore } from "../../state/state-store.js";
import type { SinkWorld } from "../opening.js";

/**
 * Opens the state of a sink that sends its rows, and keeps in it where they come from.
 * @throws SinkError, also if its rows came from somewhere else
 */
export async function openSentState(
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
export async function forgetSent(world: Pick<SinkWorld, "openState">, owner: StateOwner): Promise<void> {
  const state = await world.openState(owner);
  try {
    await state.forget();
  } finally {
    await state.close();
  }
}

/** Reads the parked changes of a sink, also during a run. @throws SinkError */
export async function parkedUnsent(
  world: Pick<SinkWorld, "readState">,
  owner: StateOwner,
): Promise<readonly ParkedChange[]> {
  return (await world.readState(owner))?.kept.parked ?? [];
}
