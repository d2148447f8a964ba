import type { Database } from "../../../store/database/database.js";
import type { PlannedTable } from "../../plan/pipeline-plan.js";
import { databaseAddress } from "../../sinks/database-address.js";
import { sinkErrorOf } from "../../sinks/postgres/postgres-error.js";
import type { LookupTable } from "../lookup-table.js";
import type { TransformWorld } from "../opening.js";
import { openPostgresStore } from "./postgres-store.js";
import { openPostgresTable } from "./postgres-table.js";
import type { TableOwner, TableStore } from "./table-store.js";

/** Opens a table that only others fill. @throws SinkError */
export async function openDynamicTable(planned: PlannedTable, world: TransformWorld): Promise<LookupTable> {
  return openPostgresTable(await optionsOf(planned, world));
}

/** Opens a table that a query fills. @throws SinkError */
export async function openDynamicStore(
  planned: PlannedTable,
  owner: TableOwner,
  world: TransformWorld,
): Promise<TableStore> {
  return openPostgresStore({ ...(await optionsOf(planned, world)), ...owner });
}

async function optionsOf(
  { definition: { settings } }: PlannedTable,
  world: TransformWorld,
): Promise<{
  readonly database: Database;
  readonly name: string;
  readonly debounce: number;
  readonly clock: TransformWorld["clock"];
}> {
  const address = databaseAddress(settings.secret_name?.value ?? "", "postgres", world);
  const database = await world.openDatabase(address).catch((error: unknown) => {
    throw sinkErrorOf(error);
  });
  return {
    database,
    name: settings.backend_entity_name?.value ?? "",
    debounce: settings.cache_refresh_debounce_ms?.value ?? 1_000,
    clock: world.clock,
  };
}
