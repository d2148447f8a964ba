import { SQL } from "../../store/database/database.js";
import type { Caller } from "../people/access.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { pauseSubgraph } from "../subgraphs/change-subgraphs.js";
import { deploySubgraph } from "../subgraphs/deploy-subgraph.js";
import { findProjectName } from "../subgraphs/endpoints.js";
import { type References, requireUnused } from "../subgraphs/references.js";
import { listVersions, type SubgraphVersion, tagsOf } from "../subgraphs/versions.js";
import type { UploadedBuild } from "./deploy-files.js";
import { claimFiles, type Owner } from "./door-files.js";

/** A deployment that a tool asks for. */
export interface WantedDeployment {
  readonly subgraph: string;
  /** The hash of the manifest. */
  readonly hash: string;
  readonly uploaded: UploadedBuild;
  /** The client that may have uploaded the files without a key. */
  readonly client: Owner;
  /** `--version-label`, if the tool has sent one. */
  readonly label: string | undefined;
  /** Whether anyone may query it. Otherwise, only keys of the project may. */
  readonly isPublic: boolean;
}

/** The most versions and tags of a subgraph that matter. */
const mostEntries = 10_000;
/** How often to choose another name because a concurrent deployment has taken it. */
const mostTries = 5;

/**
 * Deploys a build as the newest version of a subgraph, which answers once it has caught up. As on a graph-node,
 * deploying the build of the newest version again changes nothing, and older versions that tools deployed and that no
 * longer answer are paused.
 * @throws Problem as `deploySubgraph`; DatabaseError
 */
export async function deployVersion(
  platform: Platform,
  caller: Caller,
  wanted: WantedDeployment,
  references: readonly References[],
): Promise<void> {
  const { subgraph, hash, uploaded, client } = wanted;
  const newest = newestOf(await entriesOf(platform, caller, subgraph));
  const version = newest?.deployment === hash ? newest.version : await addVersion(platform, caller, wanted);
  const deployment = { deployment: hash, cids: uploaded.cids, client };
  await platform.database.transaction(async (sql) => {
    await claimFiles(sql, caller.project, deployment);
    if (newest?.deployment === hash) return;
    await sql.query(
      SQL`insert into graphloom.door_versions (project, name, version) values ($1::text, $2::text, $3::text)
        on conflict do nothing`,
      [caller.project, subgraph, version],
    );
  });
  await pauseDisplaced(platform, caller, { subgraph, version }, references);
}

/** @returns the name of the version */
async function addVersion(
  platform: Platform,
  caller: Caller,
  { subgraph, uploaded, label, isPublic }: WantedDeployment,
): Promise<string> {
  for (let left = mostTries; ; left--) {
    const taken = new Set((await entriesOf(platform, caller, subgraph)).map(({ version }) => version));
    const version = versionFor(label, taken);
    try {
      await deploySubgraph(
        platform,
        caller,
        { name: subgraph, version },
        { build: uploaded.build, hasPublicEndpoint: isPublic, hasPrivateEndpoint: !isPublic },
      );
      return version;
    } catch (error) {
      const isTaken = error instanceof Problem && error.type === "conflict";
      if (!isTaken || left === 1) throw error;
    }
  }
}

/**
 * The name of a version: the label, with characters replaced that our names must not contain. Without a label,
 * versions are numbered. A repeated label also gets a number, since graph-node ignores labels.
 * @param taken the versions and tags of the subgraph
 */
export function versionFor(label: string | undefined, taken: ReadonlySet<string>): string {
  const wanted = (label ?? "")
    .trim()
    .replace(/[^\w+.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
  if (wanted === "") {
    const numbers = [...taken].filter((version) => /^\d{1,9}$/.test(version)).map(Number);
    return String(Math.max(0, ...numbers) + 1);
  }
  for (let number = 1; ; number++) {
    const version = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(version)) return version;
  }
}

/** Pauses older versions that tools have deployed, unless they answer or something refers to them. */
async function pauseDisplaced(
  platform: Platform,
  caller: Caller,
  kept: { readonly subgraph: string; readonly version: string },
  references: readonly References[],
): Promise<void> {
  const { database } = platform;
  const { subgraph, version } = kept;
  const answering = await findProjectName(database, caller.project, subgraph, undefined);
  const rows = await database.query(
    SQL`select version from graphloom.door_versions where project = $1::text and name = $2::text`,
    [caller.project, subgraph],
  );
  const deployedByTools = new Set(rows.map((row) => row.version));
  const entries = await entriesOf(platform, caller, subgraph);
  const current = entries.find((entry) => entry.version === version);
  for (const entry of entries) {
    const isKept =
      entry.target !== undefined ||
      entry.isPaused ||
      !deployedByTools.has(entry.version) ||
      entry.deployment === current?.deployment ||
      entry.deployment === answering?.deployment;
    if (isKept || (await isReferredTo(platform, entry, references))) continue;
    await pauseSubgraph(platform, caller, entry, true);
  }
}

async function isReferredTo(
  { database }: Platform,
  entry: SubgraphVersion,
  references: readonly References[],
): Promise<boolean> {
  if ((await tagsOf(database, entry)).length > 0) return true;
  try {
    await requireUnused(database, entry, references);
    return false;
  } catch (error) {
    if (error instanceof Problem && error.type === "in-use") return true;
    throw error;
  }
}

function entriesOf(
  { database }: Platform,
  { project }: Caller,
  name: string,
): Promise<readonly SubgraphVersion[]> {
  return listVersions(database, project, { name, limit: mostEntries });
}

function newestOf(entries: readonly SubgraphVersion[]): SubgraphVersion | undefined {
  return entries
    .filter(({ target }) => target === undefined)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
}
