import type { PlannedTable } from "../../plan/flow-plan.js";
import { databaseAddress } from "../../sinks/database-address.js";
import { sinkErrorOf } from "../../sinks/postgres/postgres-sink.js";
import type { LookupTable } from "../lookup-table.js";
import type { TransformWorld } from "../opening.js";
import { openPostgresTable } from "./postgres-table.js";

/** Opens a table that queries look values up in. @throws SinkError */
export async function openDynamicTable(
  { definition: { settings } }: PlannedTable,
  world: TransformWorld,
): Promise<LookupTable> {
  const address = databaseAddress(settings.secret_name?.value ?? "", "postgres", world);
  const database = await world.openDatabase(address).catch((error: unknown) => {
    throw sinkErrorOf(error);
  });
  return openPostgresTable({
    database,
    name: settings.backend_entity_name?.value ?? "",
    debounce: settings.cache_refresh_debounce_ms?.value ?? 1_000,
    clock: world.clock,
  });
}
