import type { ParkedChange } from "../../state/parked-change.js";
import type { ReadParked } from "../opening.js";
import { postgresOptions } from "./open-postgres.js";
import { type PostgresSinkOptions, sinkErrorOf, stateOf } from "./postgres-sink.js";
import type { PostgresShape } from "./shape.js";

/**
 * Reads the parked rows of a table in a PostgreSQL database.
 * @throws SinkError
 */
export const readParkedOfPostgres: ReadParked<PostgresShape> = async (planned, owner, world) =>
  parkedIn(await postgresOptions(planned, owner, world));

/**
 * Reads the parked rows of an open database, and closes it.
 * @throws SinkError
 */
export async function parkedIn(options: PostgresSinkOptions): Promise<readonly ParkedChange[]> {
  const { database } = options;
  try {
    return await stateOf(options).parked(database);
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await database.close();
  }
}
