import type { ResetSink } from "../opening.js";
import { resetTables } from "../postgres/reset-postgres.js";
import { aggregateOptions } from "./open-postgres-aggregate.js";

/** Empties the table of rows and that of their aggregates. @throws SinkError */
export const resetAggregate: ResetSink<"postgres_aggregate"> = async (planned, owner, world, recreates) =>
  resetTables(await aggregateOptions(planned, owner, world), recreates);
