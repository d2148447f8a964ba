import type { ReadParked } from "../opening.js";
import { parkedIn } from "../postgres/read-parked.js";
import { aggregateOptions } from "./open-postgres-aggregate.js";
import type { PostgresAggregateShape } from "./shape.js";

/**
 * Reads the parked rows of a table with aggregates.
 * @throws SinkError
 */
export const readParkedOfAggregate: ReadParked<PostgresAggregateShape> = async (planned, owner, world) =>
  parkedIn(await aggregateOptions(planned, owner, world));
