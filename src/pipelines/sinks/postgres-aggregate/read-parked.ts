import type { ReadParked } from "../opening.js";
import { parkedIn } from "../postgres/read-parked.js";
import { aggregateOptions } from "./open-postgres-aggregate.js";

/** Reads what is kept aside of a table with aggregates. @throws SinkError */
export const readParkedOfAggregate: ReadParked<"postgres_aggregate"> = async (planned, owner, world) =>
  parkedIn(await aggregateOptions(planned, owner, world));
