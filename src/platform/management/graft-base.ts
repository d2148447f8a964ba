import type { Graft } from "../../subgraph/adjust-build.js";
import type { Build } from "../../subgraph/build.js";
import { type SubgraphVersion, type VersionName, versionsOf } from "../catalog/versions.js";
import type { HostedStatus } from "../hosting/engine.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";
import { engineOf, requireEntry } from "./find-subgraph.js";

/**
 * The graft onto a version of the same project: at a block, or at the last one it has.
 * @throws Problem `subgraph-not-found`, or `unprocessable` while nothing of it was indexed; DatabaseError
 */
export async function graftOnto(
  platform: Platform,
  name: VersionName,
  block: number | undefined,
): Promise<Graft> {
  const base = await requireEntry(platform.database, name);
  const last = block ?? (await statusOf(platform, base))?.headBlock;
  if (last !== undefined) return { base: base.deployment, block: last };
  throw new Problem(
    "unprocessable",
    `Nothing of "${name.name}/${name.version}" was indexed yet that could be grafted onto; wait, or give a start block.`,
  );
}

/**
 * Sees whether what a build is grafted onto is there: in the same project and network, and as far as the block.
 * @throws Problem `unprocessable`; DatabaseError
 */
export async function checkGraft(
  platform: Platform,
  { manifest }: Build,
  { network, project }: { readonly network: string; readonly project: string },
): Promise<void> {
  const graft = readGraft(manifest.graft);
  if (!graft) return;
  const bases = await versionsOf(platform.database, graft.base);
  const base = bases.find((each) => each.project === project);
  const refuse = (why: string): Problem =>
    new Problem("unprocessable", `The build is grafted onto ${graft.base} at block ${graft.block}: ${why}.`);
  if (!base) throw refuse("no version of this project is that deployment");
  if (base.network !== network) throw refuse(`that is on "${base.network}", and the build on "${network}"`);
  const head = (await statusOf(platform, base))?.headBlock;
  if (head === undefined) throw refuse("nothing of it was indexed yet");
  if (graft.block > head) throw refuse(`it has come to block ${head} only`);
}

/** A graft as a manifest has it; what is not one is left to the engine to refuse. */
function readGraft(value: unknown): Graft | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { base, block } = value as Partial<Record<keyof Graft, unknown>>;
  return typeof base === "string" && typeof block === "number" ? { base, block } : undefined;
}

async function statusOf(
  { hosting }: Platform,
  { engine, deployment }: SubgraphVersion,
): Promise<HostedStatus | undefined> {
  return (await engineOf(hosting, engine)?.status([deployment]))?.get(deployment);
}
