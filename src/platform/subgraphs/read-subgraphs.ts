import type { HostedStatus, HostedStorage } from "../../hosting/engine.js";
import { type LogLevel, type LogPage, type LogQuery, logLevels } from "../../store/logs/log-line.js";
import type { ConfigPlaces } from "../../subgraph/config-places.js";
import { type Caller, requireRole } from "../people/access.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { placedLines, placedStatus, placesOf } from "./config-places.js";
import { type EntryName, nameIn, requireEngine, requireEntry } from "./find-subgraph.js";
import { type Log, readStatuses } from "./read-statuses.js";
import { listVersions, type SubgraphVersion, type VersionPage } from "./versions.js";

/** A version or a tag, and its status. */
export interface ShownVersion {
  readonly entry: SubgraphVersion;
  /** Absent when the engine does not know its deployment or does not answer. */
  readonly status?: HostedStatus | undefined;
  /** The places of its handlers in the configuration, if one has failed and they are known. */
  readonly places?: ConfigPlaces | undefined;
}

type Own = Pick<Platform, "database" | "hosting">;

/** The number of versions and tags read at once. */
const readAtOnce = 1_000;

/**
 * Lists one page of the versions and tags of a project.
 * @returns at most the requested number, and whether more follow
 * @throws Problem `forbidden`; DatabaseError
 */
export async function listSubgraphs(
  platform: Own,
  caller: Caller,
  page: VersionPage,
  log: Log,
): Promise<{ readonly shown: readonly ShownVersion[]; readonly hasMore: boolean }> {
  requireRole(caller, "Viewer");
  const found = await listVersions(platform.database, caller.project, { ...page, limit: page.limit + 1 });
  const entries = found.slice(0, page.limit);
  const { known } = await readStatuses(platform.hosting, entries, log);
  const shown: ShownVersion[] = [];
  for (const entry of entries) {
    // Their places can be large.
    const { places: _, ...placed } = await placedFor(platform, entry, known.get(entry.deployment));
    shown.push(placed);
  }
  return { shown, hasMore: found.length > page.limit };
}

/**
 * Lists all versions and tags of a project. Errors are not placed in configurations.
 * @throws Problem `forbidden`; DatabaseError
 */
export async function listAllSubgraphs(
  { database, hosting }: Own,
  caller: Caller,
  log: Log,
): Promise<readonly ShownVersion[]> {
  requireRole(caller, "Viewer");
  const entries: SubgraphVersion[] = [];
  for (;;) {
    const after = entries.at(-1);
    const part = await listVersions(database, caller.project, { limit: readAtOnce, ...(after && { after }) });
    entries.push(...part);
    if (part.length < readAtOnce) break;
  }
  const { known } = await readStatuses(hosting, entries, log);
  return entries.map((entry) => ({ entry, status: known.get(entry.deployment) }));
}

/** The versions and tags of one name. @throws Problem `forbidden`; DatabaseError */
export async function listVersionsOf(
  { database }: Pick<Platform, "database">,
  caller: Caller,
  name: string,
): Promise<readonly SubgraphVersion[]> {
  requireRole(caller, "Viewer");
  return listVersions(database, caller.project, { name, limit: readAtOnce });
}

/** A version or a tag. @throws Problem `forbidden`, `subgraph-not-found`; DatabaseError */
export async function showSubgraph(
  platform: Own,
  caller: Caller,
  name: EntryName,
  log: Log,
): Promise<ShownVersion> {
  requireRole(caller, "Viewer");
  const entry = await requireEntry(platform.database, nameIn(caller, name));
  const { known } = await readStatuses(platform.hosting, [entry], log);
  return placedFor(platform, entry, known.get(entry.deployment));
}

/**
 * Lines of the log of a version; a tag stands for the version that it points to.
 * @throws Problem `forbidden`, `subgraph-not-found`, `unavailable` without its engine; DatabaseError, or the error
 *   that keeps the engine from answering
 */
export async function readLog(
  { database, hosting }: Own,
  caller: Caller,
  name: EntryName,
  query: LogQuery,
): Promise<LogPage> {
  requireRole(caller, "Viewer");
  const entry = await requireEntry(database, nameIn(caller, name));
  const page = await requireEngine(hosting, entry).logs(entry.deployment, query);
  return { ...page, lines: await placedLines(database, entry, page.lines) };
}

/** A level and all more severe ones. */
export function levelsFrom(least: LogLevel): readonly LogLevel[] {
  return logLevels.slice(0, logLevels.indexOf(least) + 1);
}

/**
 * Opens the storage of a version's entities; undefined before the first block.
 * @throws Problem `unavailable` without its engine, `unprocessable` when its entities can only be queried; DatabaseError
 */
export async function openEntities(
  { hosting }: Own,
  entry: SubgraphVersion,
): Promise<HostedStorage | undefined> {
  const engine = requireEngine(hosting, entry);
  if (engine.storageless === undefined) return engine.storage(entry.deployment);
  throw new Problem("unprocessable", `The entities of ${entry.name}/${entry.version} ${engine.storageless}.`);
}

async function placedFor(
  { database }: Own,
  entry: SubgraphVersion,
  status: HostedStatus | undefined,
): Promise<ShownVersion> {
  const places = status && (await placesOf(database, entry, status));
  return places ? { entry, status: placedStatus(status, places), places } : { entry, status };
}
