import { SQL } from "../../../store/database/database.js";
import type { ReadParked } from "../opening.js";
import type { ParkedChange } from "../parking/parked-change.js";
import { KeptPositions } from "./kept-positions.js";
import { postgresOptions } from "./open-postgres.js";
import { type PostgresSinkOptions, sinkErrorOf } from "./postgres-sink.js";
import type { PostgresShape } from "./shape.js";

/** Reads what is kept aside of a table in a PostgreSQL database. @throws SinkError */
export const readParkedOfPostgres: ReadParked<PostgresShape> = async (planned, owner, world) =>
  parkedIn(await postgresOptions(planned, owner, world));

/** The same for a database that is open. It is closed at the end. @throws SinkError */
export async function parkedIn({
  database,
  owner,
  table,
  schema,
}: Pick<PostgresSinkOptions, "database" | "owner" | "table" | "schema">): Promise<readonly ParkedChange[]> {
  try {
    const [found] = await database.query(SQL`select to_regclass('graphloom_flows.parked') as parked`);
    if (found?.parked == null) return [];
    return await new KeptPositions({ ...owner, table, columns: schema.columns }).parked(database);
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await database.close();
  }
}
