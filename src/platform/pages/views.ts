import { groupBy } from "../../base/group-by.js";
import type { HostedStatus } from "../../hosting/engine.js";
import type { Caller } from "../people/access.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { type Log, readStatuses } from "../subgraphs/read-statuses.js";
import { listAllSubgraphs, type ShownVersion } from "../subgraphs/read-subgraphs.js";
import { listVersions, type SubgraphVersion } from "../subgraphs/versions.js";
import { pageOf } from "./addresses.js";
import type { Draft } from "./draft.js";
import { NotHere } from "./not-here.js";

/** A version or a tag in the overview. */
export interface Shown extends ShownVersion {
  /** The title of its card. In development, the name of the subgraph alone. */
  readonly title: string;
  /** The tags that point to it. */
  readonly tags: readonly SubgraphVersion[];
  /** The build of the last edit, while the previous one still answers queries. */
  readonly change?: PendingBuild | undefined;
}

/** A build that replaces the current one once it has caught up. */
export interface PendingBuild {
  readonly status: HostedStatus | undefined;
}

/** The most versions of a name to read. */
const mostOfName = 1_000;
/** The most versions to suggest instead of a missing one. */
const mostInstead = 20;

/** All versions of a project. In development, only the tag that answers queries. @throws DatabaseError */
export async function readOverview(
  platform: Platform,
  caller: Caller,
  log: Log,
  draft?: Draft,
): Promise<readonly Shown[]> {
  const entries = await listAllSubgraphs(platform, caller, log);
  const versions = entries.filter(({ entry }) => entry.target === undefined);
  const tags = groupBy(
    entries.flatMap(({ entry }) => (entry.target === undefined ? [] : [entry])),
    ({ name, target }) => `${name}/${target}`,
  );
  const shown = draft
    ? entries.filter(({ entry: { version, target } }) => target !== undefined && version === draft.tag)
    : versions;
  return shown.map((one): Shown => {
    const { name, version, target } = one.entry;
    const title = `${name}/${version}`;
    if (!draft) return { ...one, title, tags: tags.get(title) ?? [] };
    const next = versions.find(({ entry }) => entry.name === name && entry.version !== target);
    return { ...one, title: name, tags: [], change: next && { status: next.status } };
  });
}

/** The build of the last edit, while the previous one still answers queries. @throws DatabaseError */
export async function readChange(
  { database, hosting }: Platform,
  { project, name, target }: SubgraphVersion,
  log: Log,
): Promise<PendingBuild | undefined> {
  const all = await listVersions(database, project, { name, limit: mostOfName });
  const next = all.find((one) => one.target === undefined && one.version !== target);
  return next && { status: (await readStatuses(hosting, [next], log)).known.get(next.deployment) };
}

/** Adds the versions and tags of the same name to an error about a missing one. @throws NotHere, Problem, DatabaseError */
export async function orInstead<Found>(
  { database }: Platform,
  { project }: Caller,
  name: string,
  find: Promise<Found>,
): Promise<Found> {
  try {
    return await find;
  } catch (error) {
    if (!(error instanceof Problem) || error.type !== "subgraph-not-found") throw error;
    const others = await listVersions(database, project, { name, limit: mostInstead });
    throw new NotHere(
      error.message,
      others.map((each) => [`${each.name}/${each.version}`, pageOf(each)]),
    );
  }
}
