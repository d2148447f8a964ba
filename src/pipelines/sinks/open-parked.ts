import type { SinkType } from "../definition/shapes.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { PlannedSinkOf, ReadParked, SinkOwner, SinkWorld } from "./opening.js";
import type { ParkedChange } from "./parking/parked-change.js";

/** How parked changes are read, by type of the sink. */
const readers: { readonly [T in SinkType]?: () => Promise<ReadParked<T>> } = {
  postgres: async () => (await import("./postgres/read-parked.js")).readParkedOfPostgres,
  postgres_aggregate: async () => (await import("./postgres-aggregate/read-parked.js")).readParkedOfAggregate,
  mysql_sink: async () => (await import("./mysql/read-parked.js")).readParkedOfMysql,
};

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
  const { type } = planned.definition;
  const read = (await readers[type]?.()) as ReadParked<SinkType> | undefined;
  return read?.(planned as PlannedSinkOf<SinkType>, owner, world);
}
