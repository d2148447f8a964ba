import type { Engine, Hosting } from "../../hosting/engine.js";
import { adjustBuild, type NewGraft } from "../../subgraph/adjust-build.js";
import { type Build, networkOf } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { takeCarried } from "../../subgraph/carried-files.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { sourceSubgraphs } from "../../subgraph/manifest/source-subgraphs.js";
import { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { zipBuild } from "../../subgraph/zip-build.js";
import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform, PlatformSettings } from "../platform.js";
import { Problem } from "../problem.js";
import { requireRoom } from "../quotas/quotas.js";
import { checkOnEngine } from "./check-on-engine.js";
import { type EntryName, engineOf, nameIn, requireEntry } from "./find-subgraph.js";
import { checkGraft, graftOf, graftOnto, readGraft } from "./graft-base.js";
import { isShownBy } from "./shown-builds.js";
import { storedBuild } from "./stored-build.js";
import {
  addVersion,
  deleteVersion,
  findVersion,
  renewCarried,
  type SubgraphVersion,
  tagsOf,
  type VersionName,
} from "./versions.js";

/** The parts of a server that deploying needs. */
export interface DeployPlatform extends Pick<Platform, "database" | "hosting"> {
  readonly settings: Pick<PlatformSettings, "quotas">;
}

/** The build and the options of a deployment. */
export interface WantedVersion {
  /** The build, with its additional files. */
  readonly build: Build;
  readonly startBlock?: number;
  /** The version that it is grafted onto. */
  readonly graftFrom?: EntryName;
  readonly removesGraft?: boolean;
  /** Accepts a graft's base at any block. */
  readonly skipsGraftCheck?: boolean;
  readonly description?: string;
  /** Whether anyone can query it from the start; true when absent. */
  readonly hasPublicEndpoint?: boolean;
  /** Whether it can be queried with a key from the start; false when absent. */
  readonly hasPrivateEndpoint?: boolean;
  /** The name of its engine. When absent, the first engine that indexes its network. */
  readonly shard?: string;
}

/** A version that was deployed, now or before. */
export interface DeployedVersion {
  readonly entry: SubgraphVersion;
  readonly graft: NewGraft | undefined;
  /** Sentences about parts that will have no effect or will fail. */
  readonly warnings: readonly string[];
}

/**
 * Deploys a version, and waits until its engine knows. When the same build already has this name and version,
 * that version is the answer, so that a client that missed the answer can repeat the request.
 * @throws Problem `forbidden`; `conflict` when something else has the name; `unprocessable` when the build
 *   is damaged, or its graft, its engine or the project's quota refuses it; DatabaseError
 */
export async function deploySubgraph(
  platform: DeployPlatform,
  caller: Caller,
  named: EntryName,
  wanted: WantedVersion,
): Promise<DeployedVersion> {
  requireRole(caller, "Editor");
  const { database, hosting, settings } = platform;
  const name = nameIn(caller, named);
  const { project } = name;
  const { build: received, carried } = asUnprocessable(() => takeCarried(wanted.build));
  const known = await unlessRefused(platform, await findVersion(database, name));
  const build = new ReadBuild(await adjusted(platform, received, wanted, name, known));
  const { deploymentId: deployment } = linkBuild(build);
  const graft = readGraft(build.manifest.graft);
  if (known) {
    const entry = assertSame(known, deployment);
    await renewCarried(database, entry, carried);
    return { entry, graft, warnings: engineOf(hosting, entry.engine)?.warnings?.(build) ?? [] };
  }
  const network = asUnprocessable(() => networkOf(build));
  const engine = engineFor(hosting, network, wanted.shard);
  const { skipsGraftCheck = false, hasPublicEndpoint, hasPrivateEndpoint } = wanted;
  await checkGraft(platform, build, { network, project, skipsGraftCheck });
  await checkOnEngine(engine, {
    deployment,
    network,
    read: async () => build,
    mayRead: (other) => isShownBy(database, project, other),
    find: async (other) =>
      (await isShownBy(database, project, other)) ? storedBuild(database, other) : undefined,
    skipsGraftCheck,
  });
  const added = {
    ...name,
    deployment,
    bundle: zipBuild(build),
    carried,
    network,
    engine: engine.name,
    sources: sourceSubgraphs(build.manifest),
    description: wanted.description ?? null,
    ...(hasPublicEndpoint !== undefined && { hasPublicEndpoint }),
    ...(hasPrivateEndpoint !== undefined && { hasPrivateEndpoint }),
  };
  const isAdded = await database.transaction(async (sql) => {
    await requireRoom(sql, settings, "deployments", project);
    if (!(await addVersion(sql, added))) return false;
    await noteChange(sql, caller, "subgraph.deploy", `${name.name}/${name.version}`);
    return true;
  });
  // A concurrent request may have been faster.
  if (!isAdded) assertSame(await requireEntry(database, name), deployment);
  await hosting.reconcile([deployment], new Map([[deployment, build]]));
  const refusal = engine.refusal?.(deployment);
  if (refusal !== undefined && isAdded) {
    await withdraw(platform, name, deployment);
    throw new Problem("unprocessable", refusal);
  }
  return { entry: await requireEntry(database, name), graft, warnings: engine.warnings?.(build) ?? [] };
}

/** Withdraws a version that its engine has refused permanently, so that the same command can replace its build. */
async function unlessRefused(
  platform: DeployPlatform,
  known: SubgraphVersion | undefined,
): Promise<SubgraphVersion | undefined> {
  if (!known || known.target !== undefined) return known;
  const refusal = engineOf(platform.hosting, known.engine)?.refusal?.(known.deployment);
  if (refusal === undefined || (await tagsOf(platform.database, known)).length > 0) return known;
  await withdraw(platform, known, known.deployment);
  return undefined;
}

/** Deletes a version that was never indexed. */
async function withdraw(
  { database, hosting }: DeployPlatform,
  name: VersionName,
  deployment: string,
): Promise<void> {
  await deleteVersion(database, name);
  await hosting.reconcile([deployment]);
}

/** @param known the version that already has the name; without a new block, it keeps its graft block */
async function adjusted(
  platform: DeployPlatform,
  build: Build,
  { graftFrom, startBlock, skipsGraftCheck = false, removesGraft = false }: WantedVersion,
  { project }: VersionName,
  known: SubgraphVersion | undefined,
): Promise<Build> {
  if (graftFrom === undefined) return adjustBuild(build, { startBlock, removeGraft: removesGraft });
  const block = startBlock ?? (known && (await graftOf(platform.database, known))?.block);
  const graft = await graftOnto(platform, { ...graftFrom, project }, { block, skipsGraftCheck });
  return adjustBuild(build, { startBlock, graft, removeGraft: removesGraft });
}

function engineFor(hosting: Hosting, network: string, shard: string | undefined): Engine {
  const { engines } = hosting;
  const found =
    shard === undefined
      ? hosting.engineFor(network)
      : engines.find(({ name, networks }) => name === shard && networks.includes(network));
  if (found) return found;
  const networks = [...new Set(engines.flatMap((engine) => engine.networks))].join(", ") || "none";
  const where = shard === undefined ? "this server" : `the shard "${shard}"`;
  throw new Problem(
    "unprocessable",
    `The subgraph is for the network "${network}", which ${where} does not index. The server indexes: ${networks}.`,
  );
}

/** Returns the existing version when it has the same build. @throws Problem `conflict` otherwise */
function assertSame(known: SubgraphVersion, deployment: string): SubgraphVersion {
  const { name, version, target } = known;
  if (target !== undefined) {
    throw new Problem("conflict", `"${name}/${version}" is a tag. Choose another name for the version.`);
  }
  if (known.deployment === deployment) return known;
  throw new Problem(
    "conflict",
    `"${name}/${version}" already exists with a different build. Delete it first, or choose another version.`,
  );
}

/** Reads something from a build. @throws Problem `unprocessable` when the build is damaged */
function asUnprocessable<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof BundleError ? new Problem("unprocessable", error.message) : error;
  }
}
