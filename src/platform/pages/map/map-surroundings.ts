import type { HostedStorage } from "../../../hosting/engine.js";
import { readHandlerCounts } from "../../../store/deployments/handler-counts.js";
import type { Platform } from "../../platform.js";
import { engineOf } from "../../subgraphs/find-subgraph.js";
import { askEngine, type Log } from "../../subgraphs/read-statuses.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";
import type { ReadEntityCounts } from "../entity-counts.js";
import type { MapSurroundings } from "./map-section.js";

/**
 * The links and figures of the map of a version or tag. Counts the same entities as the list of types.
 * @param base the address of the page of the version or tag
 * @throws DatabaseError
 */
export async function mapSurroundings(
  { hosting }: Pick<Platform, "hosting">,
  countsOf: ReadEntityCounts,
  entry: SubgraphVersion,
  { base, log }: { readonly base: string; readonly log: Log },
): Promise<MapSurroundings> {
  const storage = await storageOf({ hosting }, entry, log);
  const tables = new Map(storage?.layout.tables.map(({ type, name }) => [type, name]));
  return {
    address: `${base}/map.svg`,
    addressOf: (type) => {
      const table = tables.get(type);
      return `${base}/data${table === undefined ? "" : `/${encodeURIComponent(table)}`}`;
    },
    ...(storage && { layout: storage.layout, counts: await countsOf(entry.project, storage) }),
    // Another program does not count its handlers.
    ...(storage &&
      !storage.isForeign && { handlers: await readHandlerCounts(storage.database, storage.deployment.id) }),
  };
}

function storageOf(
  { hosting }: Pick<Platform, "hosting">,
  entry: SubgraphVersion,
  log: Log,
): Promise<HostedStorage | undefined> | undefined {
  const engine = engineOf(hosting, entry.engine);
  if (engine?.storageless !== undefined) return undefined;
  return askEngine(engine, "storage", log, (one) => one.storage(entry.deployment));
}
