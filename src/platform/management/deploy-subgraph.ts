import type { FastifyRequest } from "fastify";
import type { DeployedSubgraph } from "../../api/deploy-form.js";
import type { Engine } from "../../hosting/engine.js";
import { adjustBuild, type Graft } from "../../subgraph/adjust-build.js";
import { type Build, manifestPath, networkOf } from "../../subgraph/build.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { type CarriedFiles, takeCarried } from "../../subgraph/carried-files.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { zipBuild } from "../../subgraph/zip-build.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { requireRoom } from "../quotas/quotas.js";
import { checkOnEngine } from "../subgraphs/check-on-engine.js";
import { requireEntry } from "../subgraphs/find-subgraph.js";
import { checkGraft, graftOf, graftOnto, readGraft } from "../subgraphs/graft-base.js";
import { showSubgraph } from "../subgraphs/read-subgraphs.js";
import { readBuild } from "../subgraphs/received-build.js";
import { isShownBy } from "../subgraphs/shown-builds.js";
import {
  addVersion,
  deleteVersion,
  findVersion,
  renewCarried,
  type SubgraphVersion,
  tagsOf,
  type VersionName,
} from "../subgraphs/versions.js";
import { type ReceivedForm, readDeployForm } from "./deploy-form.js";
import type { Handlers } from "./operations.js";
import { subgraphOf } from "./show-subgraph.js";

/**
 * Deploys versions. The same build under the same name and version is there already, whoever sends it again: what is
 * there is the answer, as for the first time (201, since the contract knows no other), so that a client whose answer
 * was lost can simply ask again.
 */
export function deploying(platform: Platform): Pick<Handlers, "deploySubgraph"> {
  const { database, hosting } = platform;
  return {
    deploySubgraph: async ({ path, request }) => {
      const name = { ...path, project: callerOf(request).project };
      const form = await readDeployForm(request);
      const { build: received, carried } = taken(await readBuild(form.bundle));
      const known = await unlessRefused(await findVersion(database, name));
      const build = await adjusted(received, form, name.project, known);
      const { deploymentId } = linkBuild(build);
      const graft = readGraft(build.manifest.graft);
      const files = { manifest: manifestPath, files: build.files };
      if (known) {
        const found = same(known, deploymentId);
        await renewCarried(database, found, carried);
        return shown(found, { graft, warnings: engineOf(known)?.warnings?.(files) }, request);
      }
      const network = networkIn(build);
      const engine = engineFor(network, form.shard);
      const { skipsGraftCheck } = form;
      const { project } = name;
      await checkGraft(platform, build, { network, project, skipsGraftCheck });
      await checkOnEngine(engine, {
        deployment: deploymentId,
        network,
        files: async () => files,
        mayGraftOnto: (base) => isShownBy(database, project, base),
        skipsGraftCheck,
      });
      const added = {
        ...name,
        deployment: deploymentId,
        bundle: zipBuild(build),
        carried,
        network,
        engine: engine.name,
        description: form.description ?? null,
        ...(form.hasPublicEndpoint !== undefined && { hasPublicEndpoint: form.hasPublicEndpoint }),
        ...(form.hasPrivateEndpoint !== undefined && { hasPrivateEndpoint: form.hasPrivateEndpoint }),
      };
      const isAdded = await database.transaction(async (sql) => {
        await requireRoom(sql, platform.settings, "deployments", project);
        return addVersion(sql, added);
      });
      // Somebody else may have been faster.
      const found = isAdded ? undefined : same(await requireEntry(database, name), deploymentId);
      await hosting.reconcile([deploymentId]);
      const refusal = engine.refusal?.(deploymentId);
      if (refusal !== undefined && isAdded) {
        await withdraw(name, deploymentId);
        throw new Problem("unprocessable", refusal);
      }
      const warnings = engine.warnings?.(files);
      return shown(found ?? (await requireEntry(database, name)), { graft, warnings }, request);
    },
  };

  /** What an engine has refused for good is as if it was not there: the same command puts another build in its place. */
  async function unlessRefused(known: SubgraphVersion | undefined): Promise<SubgraphVersion | undefined> {
    if (!known || known.target !== undefined) return known;
    const refusal = engineOf(known)?.refusal?.(known.deployment);
    if (refusal === undefined || (await tagsOf(database, known)).length > 0) return known;
    await withdraw(known, known.deployment);
    return undefined;
  }

  /** Leaves nothing of a version behind that was never indexed. */
  async function withdraw(name: VersionName, deployment: string): Promise<void> {
    await deleteVersion(database, name);
    await hosting.reconcile([deployment]);
  }

  /** @param known what has the name already: sent again without a block, it is grafted where it was */
  async function adjusted(
    build: Build,
    { graftFrom, startBlock, skipsGraftCheck, removesGraft }: ReceivedForm,
    project: string,
    known: SubgraphVersion | undefined,
  ): Promise<Build> {
    if (graftFrom === undefined) return adjustBuild(build, { startBlock, removeGraft: removesGraft });
    const block = startBlock ?? (known && (await graftOf(database, known))?.block);
    const graft = await graftOnto(platform, baseName(graftFrom, project), { block, skipsGraftCheck });
    return adjustBuild(build, { startBlock, graft, removeGraft: removesGraft });
  }

  /** Nothing when the server was started without it. */
  function engineOf(version: SubgraphVersion): Engine | undefined {
    return hosting.engines.find(({ name }) => name === version.engine);
  }

  function engineFor(network: string, shard: string | undefined): Engine {
    const found =
      shard === undefined
        ? hosting.engineFor(network)
        : hosting.engines.find(({ name, networks }) => name === shard && networks.includes(network));
    if (found) return found;
    const networks = [...new Set(hosting.engines.flatMap((engine) => engine.networks))].join(", ") || "none";
    const where = shard === undefined ? "this server" : `the shard "${shard}"`;
    throw new Problem(
      "unprocessable",
      `The subgraph is for the network "${network}", which ${where} does not index; the server indexes: ${networks}.`,
    );
  }

  async function shown(
    version: SubgraphVersion,
    {
      graft,
      warnings = [],
    }: { readonly graft: Graft | undefined; readonly warnings: readonly string[] | undefined },
    request: FastifyRequest,
  ): Promise<DeployedSubgraph> {
    const found = await showSubgraph(platform, callerOf(request), version, request.log);
    return {
      ...subgraphOf(found, platform.settings.address()),
      ...(graft && { graft }),
      ...(warnings.length > 0 && { warnings }),
    };
  }
}

/** What is there already, when it is the same. @throws Problem `conflict` when it is something else */
function same(known: SubgraphVersion, deployment: string): SubgraphVersion {
  const { name, version, target } = known;
  if (target !== undefined) {
    throw new Problem("conflict", `"${name}/${version}" is a tag; a version needs another name.`);
  }
  if (known.deployment === deployment) return known;
  throw new Problem(
    "conflict",
    `"${name}/${version}" is there already and is another build; delete it first, or choose another version.`,
  );
}

/** @throws Problem when what it brings is damaged */
function taken(received: Build): { readonly build: Build; readonly carried: CarriedFiles } {
  try {
    return takeCarried(received);
  } catch (error) {
    throw error instanceof BundleError ? new Problem("unprocessable", error.message) : error;
  }
}

function networkIn(build: Build): string {
  try {
    return networkOf(build);
  } catch (error) {
    throw error instanceof BundleError ? new Problem("unprocessable", error.message) : error;
  }
}

function baseName(text: string, project: string): VersionName {
  const [name = "", version = ""] = text.split("/");
  return { project, name, version };
}
