import { groupBy } from "../../base/group-by.js";
import type { Engine, HostedStatus } from "../../hosting/engine.js";
import type { Platform } from "../platform.js";
import type { SubgraphVersion } from "../subgraphs/versions.js";
import { findVersion, listVersions } from "../subgraphs/versions.js";
import { pageOf } from "./addresses.js";
import type { Draft } from "./draft.js";
import { NotHere } from "./not-here.js";

/** A version or a tag, and how it goes with what it shows. */
export interface Shown {
  readonly entry: SubgraphVersion;
  /** What it is called: of a configuration that is being written, its name alone. */
  readonly title: string;
  /** Nothing when the engine does not know it, or cannot be asked. */
  readonly status?: HostedStatus | undefined;
  /** The tags that point to it. */
  readonly tags: readonly SubgraphVersion[];
  /** The build of the last edit, while it is indexed beside what answers. */
  readonly change?: Change | undefined;
}

/** A build that takes the place of another once it has caught up. */
export interface Change {
  readonly status: HostedStatus | undefined;
}

/** As many versions and tags are read at once. */
const readAtOnce = 1_000;
/** As many are offered instead of one that is not there. */
const mostInstead = 20;

/**
 * All versions of a project, those that have failed first; of a configuration that is being written, what answers.
 * @throws DatabaseError
 */
export async function readOverview(
  platform: Platform,
  project: string,
  draft?: Draft,
): Promise<readonly Shown[]> {
  const entries = await readAll(platform, project);
  const statuses = await statusesOf(platform, entries);
  const tags = groupBy(
    entries.filter(({ target }) => target !== undefined),
    ({ name, target }) => `${name}/${target}`,
  );
  const versions = entries.filter(({ target }) => target === undefined);
  const shown = draft
    ? entries.filter(({ version, target }) => target !== undefined && version === draft.tag)
    : versions;
  const all = shown.map((entry): Shown => {
    const own = { entry, status: statuses.get(entry.deployment) };
    if (!draft) return { ...own, title: titleOf(entry), tags: tags.get(titleOf(entry)) ?? [] };
    const next = versions.find(({ name, version }) => name === entry.name && version !== entry.target);
    const change = next && { status: statuses.get(next.deployment) };
    return { ...own, title: entry.name, tags: [], change };
  });
  const hasFailed = ({ status }: Shown): boolean => status?.health === "failed";
  return [...all.filter(hasFailed), ...all.filter((one) => !hasFailed(one))];
}

/** The build of the last edit, while it is indexed beside what answers. @throws DatabaseError */
export async function readChange(platform: Platform, entry: SubgraphVersion): Promise<Change | undefined> {
  const { project, name } = entry;
  const all = await listVersions(platform.database, project, { name, limit: readAtOnce });
  const next = all.find(({ version, target }) => target === undefined && version !== entry.target);
  return next && { status: (await statusesOf(platform, [next])).get(next.deployment) };
}

async function readAll(platform: Platform, project: string): Promise<readonly SubgraphVersion[]> {
  const entries: SubgraphVersion[] = [];
  for (;;) {
    const after = entries.at(-1);
    const page = await listVersions(platform.database, project, {
      limit: readAtOnce,
      ...(after && { after }),
    });
    entries.push(...page);
    if (page.length < readAtOnce) return entries;
  }
}

async function statusesOf(
  platform: Platform,
  entries: readonly SubgraphVersion[],
): Promise<ReadonlyMap<string, HostedStatus>> {
  const statuses = new Map<string, HostedStatus>();
  for (const [name, own] of groupBy(entries, ({ engine }) => engine)) {
    const deployments = [...new Set(own.map(({ deployment }) => deployment))];
    // What is deployed is known without its engine, too.
    const found = await engineOf(platform, name)
      ?.status(deployments)
      .catch(() => undefined);
    for (const [deployment, status] of found ?? []) statuses.set(deployment, status);
  }
  return statuses;
}

function titleOf({ name, version }: SubgraphVersion): string {
  return `${name}/${version}`;
}

/** A version or a tag of a project. @throws Problem when there is none; DatabaseError */
export async function requireEntry(
  platform: Platform,
  project: string,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<SubgraphVersion> {
  const entry = await findVersion(platform.database, { project, name, version });
  if (entry) return entry;
  const others = await listVersions(platform.database, project, { name, limit: mostInstead });
  throw new NotHere(
    `The project has no ${name}/${version}.`,
    others.map((each) => [`${each.name}/${each.version}`, pageOf(each)]),
  );
}

/** The engine with a name; nothing when the server was started without it. */
export function engineOf({ hosting }: Platform, name: string): Engine | undefined {
  return hosting.engines.find((engine) => engine.name === name);
}

/** How far a deployment is, from 0 to 100; nothing when the head of the chain is not known. */
export function percentOf({ startBlock, headBlock, chainHeadBlock }: HostedStatus): number | undefined {
  if (chainHeadBlock === undefined) return undefined;
  if (headBlock === undefined) return 0;
  const all = chainHeadBlock - startBlock + 1;
  const done = headBlock - startBlock + 1;
  return all <= 0 ? 100 : Math.max(0, Math.min(100, (done / all) * 100));
}
