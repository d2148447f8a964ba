import { cell } from "../../store/database/columns.js";
import { type Database, SQL } from "../../store/database/database.js";
import { type Deployment, findDeployment } from "../../store/deployments/deployments.js";
import { isDeploymentId } from "../definition/read-subgraphs.js";
import type { LookedUp, SubgraphCatalog } from "./subgraph-catalog.js";

/** A build under a name that people have given it. */
export interface NamedBuild {
  /** A version, or a tag. */
  readonly version: string;
  /** The IPFS hash of the manifest. */
  readonly deployment: string;
  /** Which engine runs it. */
  readonly engine: string;
}

/** The names on a server. */
export interface SubgraphNames {
  /** The versions and tags of a subgraph, in all projects. */
  named(name: string): Promise<readonly NamedBuild[]>;
  /** The names of all subgraphs. */
  all(): Promise<readonly string[]>;
  /** Whether a build is paused under all of its names. */
  isPaused(deployment: string): Promise<boolean>;
}

/** The subgraphs in a database. */
export function openSubgraphCatalog(database: Database, names: SubgraphNames): SubgraphCatalog {
  const ofBuild = async (id: string): Promise<LookedUp> => {
    const deployment = await findDeployment(database, id);
    return deployment ? found(deployment) : unknown();
  };
  const found = async (deployment: Deployment): Promise<LookedUp> => ({
    kind: "found",
    deployment,
    isPaused: await names.isPaused(deployment.deployment),
  });
  // Builds that graphloom run has indexed have no names.
  const unknown = async (): Promise<LookedUp> => {
    const all = await names.all();
    return { kind: "unknown-name", names: all.length > 0 ? all : await builds(database) };
  };
  return {
    async find(name, version) {
      if (version === undefined || isDeploymentId(name)) return ofBuild(name);
      const versions = await names.named(name);
      if (versions.length === 0) return unknown();
      const meant = versions.filter((one) => one.version === version);
      const [build] = meant;
      if (!build)
        return { kind: "unknown-version", versions: [...new Set(versions.map((one) => one.version))] };
      const ids = [...new Set(meant.map(({ deployment }) => deployment))];
      if (ids.length > 1) return { kind: "ambiguous", builds: ids };
      if (build.engine !== "embedded")
        return { kind: "unreadable", why: "a graph-node indexes it, which keeps no changes of entities" };
      const deployment = await findDeployment(database, build.deployment);
      return deployment
        ? found(deployment)
        : { kind: "unreadable", why: "its indexing has not begun; start the server" };
    },
  };
}

/** The deployment ids of the latest builds. */
async function builds(database: Database): Promise<readonly string[]> {
  const rows = await database.query(
    SQL`select deployment from graphloom.deployments order by id desc limit 10`,
  );
  return rows.map((row) => cell(row, "deployment"));
}
