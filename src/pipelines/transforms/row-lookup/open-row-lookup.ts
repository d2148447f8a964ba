import type { PlannedLookup } from "../../plan/pipeline-plan.js";
import { databaseAddress } from "../../sinks/database-address.js";
import { mysqlSinkError } from "../../sinks/mysql/mysql-error.js";
import { sinkErrorOf } from "../../sinks/postgres/postgres-error.js";
import { SinkError } from "../../state/sink-error.js";
import type { RowTable } from "../lookup-table.js";
import type { TransformWorld } from "../opening.js";
import { TransformError } from "../row-transform.js";
import { CachedRows, type LookedUpTable } from "./cached-rows.js";
import { openMysqlRows } from "./mysql-rows.js";
import { openPostgresRows } from "./postgres-rows.js";

/** Opens a table in a database with whose rows queries join. @throws SinkError, TransformError */
export async function openRowLookup(planned: PlannedLookup, world: TransformWorld): Promise<RowTable> {
  const { definition } = planned;
  if (definition.type === "file") throw new Error("the rows of a file are in the plan");
  const { valid_from: from, cache_ttl: ttl, cache_rows: most } = definition.settings;
  const failed = (error: unknown): never => {
    throw ofLookup(planned, error);
  };
  const table = await opened(planned, world).catch(failed);
  return new CachedRows({
    planned,
    table: { read: (...given) => table.read(...given).catch(failed), close: () => table.close() },
    hasHistory: from !== undefined,
    ttl: ttl?.value ?? 60_000,
    most: most?.value ?? 100_000,
    clock: world.clock,
  });
}

/** A failure of the database with the name of the lookup, since sinks have databases, too. */
function ofLookup({ name }: PlannedLookup, error: unknown): unknown {
  if (!(error instanceof SinkError)) return error;
  return new TransformError(`Lookup ${name}: ${error.message}`, error.isTemporary, { cause: error });
}

async function opened(planned: PlannedLookup, world: TransformWorld): Promise<LookedUpTable> {
  const { type, settings } = planned.definition;
  const secret = "secret_name" in settings ? (settings.secret_name?.value ?? "") : "";
  const address = databaseAddress(secret, type === "mysql" ? "mysql" : "postgres", world);
  const using = async <Database extends { close(): Promise<void> }>(
    database: Database,
    open: (database: Database, planned: PlannedLookup) => Promise<LookedUpTable>,
  ): Promise<LookedUpTable> => {
    try {
      return await open(database, planned);
    } catch (error) {
      await database.close();
      throw error;
    }
  };
  if (type === "mysql") {
    const database = await world.openMysql(address).catch((error: unknown) => {
      throw mysqlSinkError(error);
    });
    return using(database, openMysqlRows);
  }
  const database = await world.openDatabase(address).catch((error: unknown) => {
    throw sinkErrorOf(error);
  });
  return using(database, openPostgresRows);
}
