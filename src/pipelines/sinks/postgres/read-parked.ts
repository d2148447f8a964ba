import type { ParkedChange } from "../../state/parked-change.js";
import type { ReadParked } from "../opening.js";
import { postgresOptions } from "./open-postgres.js";
import { type PostgresSinkOptions, sinkErrorOf, stateOf } from "./postgres-sink.js";
import type { PostgresShape } from "./shape.js";

/** Reads what is kept aside of a table in a PostgreSQL database. @throws SinkError */
export const readParkedOfPostgres: ReadParked<PostgresShape> = async (planned, owner, world) =>
  parkedIn(await postgresOptions(planned, owner, world));

/** The same for a database that is open. It is closed at the end. @throws SinkError */
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
