import type { HostedStatus } from "../../hosting/engine.js";
import type { Sql } from "../../store/database/database.js";
import { defaultThreshold } from "../../store/deployments/graft.js";
import type { NewGraft } from "../../subgraph/adjust-build.js";
import type { Build } from "../../subgraph/build.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { engineOf, requireEntry } from "./find-subgraph.js";
import { storedBuild } from "./stored-build.js";
import { type SubgraphVersion, type VersionName, versionsOf } from "./versions.js";

/** The options of a requested graft. */
export interface WantedGraft {
  /** The last block taken from the base; when absent, the newest final block. */
  readonly block: number | undefined;
  /** Accepts the base at any block. */
  readonly skipsGraftCheck: boolean;
}

/**
 * Chooses the graft onto a version of the same project.
 * @throws Problem `subgraph-not-found`, or `unprocessable` while it has no final block; DatabaseError
 */
export async function graftOnto(
  platform: Pick<Platform, "database" | "hosting">,
  name: VersionName,
  { block, skipsGraftCheck }: WantedGraft,
): Promise<NewGraft> {
  const { deployment: base, ...entry } = await requireEntry(platform.database, name);
  if (block !== undefined) return { base, block };
  const status = await statusOf(platform, { ...entry, deployment: base });
  const first = status?.startBlock ?? 0;
  const newest = (status?.headBlock ?? -1) - defaultThreshold;
  if (newest >= first) return { base, block: newest };
  if (skipsGraftCheck) return { base, block: first };
  throw new Problem("unprocessable", tooYoung(name, status?.headBlock, first));
}

/** The graft in the manifest of a version; undefined without one. @throws DatabaseError */
export async function graftOf(database: Sql, { deployment }: SubgraphVersion): Promise<NewGraft | undefined> {
  return readGraft((await storedBuild(database, deployment))?.manifest.graft);
}

function tooYoung({ name, version }: VersionName, head: number | undefined, first: number): string {
  const far = head === undefined ? "has no indexed block yet" : `has reached block ${head}`;
  return (
    `"${name}/${version}" ${far}, and the last ${defaultThreshold} blocks may still be replaced, so there is no block ` +
    `to graft at. Wait until it has reached block ${first + defaultThreshold}, or deploy without graft_from ` +
    "(--graft-from) to index from the start."
  );
}

/** The place where a build will be deployed. */
export interface GraftPlace {
  readonly network: string;
  readonly project: string;
  /** Accepts a base at any block. */
  readonly skipsGraftCheck: boolean;
}

/**
 * Checks that the base of a build's graft exists in the same project and network and has reached the block. Deployments
 * of other projects count as missing.
 * @throws Problem `unprocessable`; DatabaseError
 */
export async function checkGraft(
  platform: Pick<Platform, "database" | "hosting">,
  { manifest }: Build,
  { network, project, skipsGraftCheck }: GraftPlace,
): Promise<void> {
  const graft = readGraft(manifest.graft);
  if (!graft) return;
  const bases = await versionsOf(platform.database, graft.base);
  const base = bases.find((each) => each.project === project);
  const refuse = (why: string): Problem =>
    new Problem("unprocessable", `The build is grafted onto ${graft.base} at block ${graft.block}: ${why}.`);
  if (!base) throw refuse("no version in this project shows that deployment");
  if (base.network !== network)
    throw refuse(`that deployment is on "${base.network}", but the build is for "${network}"`);
  if (skipsGraftCheck) return;
  const head = (await statusOf(platform, base))?.headBlock;
  if (head === undefined) throw refuse("none of its blocks has been indexed yet");
  if (graft.block > head) throw refuse(`it has reached only block ${head}`);
}

/** Reads the graft of a manifest. @throws Problem `unprocessable` when it is not valid: engines might read it differently */
export function readGraft(value: unknown): NewGraft | undefined {
  if (value === undefined || value === null) return undefined;
  const { base, block } = value as Partial<Record<keyof NewGraft, unknown>>;
  if (typeof base === "string" && Number.isSafeInteger(block)) return { base, block: Number(block) };
  throw new Problem(
    "unprocessable",
    "The graft in the manifest requires a base (a string) and a block (an integer).",
  );
}

async function statusOf(
  { hosting }: Pick<Platform, "hosting">,
  { engine, deployment }: SubgraphVersion,
): Promise<HostedStatus | undefined> {
  return (await engineOf(hosting, engine)?.status([deployment]))?.get(deployment);
}
