import type { ResetSink } from "../opening.js";
import { resetTables } from "../postgres/reset-postgres.js";
import { aggregateOptions } from "./open-postgres-aggregate.js";
import type { PostgresAggregateShape } from "./shape.js";

/**
 * Empties the landing table and the table of aggregates.
 * @throws SinkError
 */
export const resetAggregate: ResetSink<PostgresAggregateShape> = async (planned, owner, world, recreates) =>
  resetTables(await aggregateOptions(planned, owner, world), recreates);
