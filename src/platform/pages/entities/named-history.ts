import type { Database } from "../../../store/database/database.js";
import { type Deployment, findDeployment, layoutOf } from "../../../store/deployments/deployments.js";
import { takeCarried } from "../../../subgraph/carried-files.js";
import { linkBuild } from "../../../subgraph/deployment/link-build.js";
import type { ReadBuild } from "../../../subgraph/runnable/read-build.js";
import { buildsNamed } from "../../subgraphs/named-builds.js";
import { findVersion, versionsOf } from "../../subgraphs/versions.js";
import { timedRead } from "../../timed-read.js";
import { historyTable, readHistory } from "./entity-history-file.js";
import { createReadWriters, type TypeWriters, typeWriters } from "./history-facts.js";

/** An entity in a database. */
export interface NamedHistoryRequest {
  /** A name with or without a version, the id of a deployment, or builds of which the database has one. */
  readonly subgraph:
    | { readonly word: string; readonly name: string; readonly version?: string | undefined }
    | readonly ReadBuild[];
  /** The name of a type or its table. */
  readonly entity: string;
  readonly id: string;
  /** From an earlier answer, for older versions. */
  readonly before?: string | undefined;
}

/** The newest versions of an entity as a JSON value, or why there are none. */
export type NamedHistory =
  | { readonly kind: "history"; readonly history: object }
  | { readonly kind: "unknown-subgraph" }
  | { readonly kind: "several"; readonly deployments: readonly string[] }
  | { readonly kind: "unknown-type"; readonly types: readonly string[] }
  | { readonly kind: "unknown-entity"; readonly type: string };

/** A deployment, and what its build says about the writers of a type. */
interface Found {
  readonly deployment: Deployment;
  writersOf(type: string): Promise<TypeWriters>;
}

/**
 * The history of an entity in a database.
 * @param signal ends the read @throws DatabaseError
 */
export async function namedHistory(
  database: Database,
  { subgraph, entity, id, before }: NamedHistoryRequest,
  signal: AbortSignal,
): Promise<NamedHistory> {
  const all = await ("word" in subgraph ? ofWord(database, subgraph) : ofBuilds(database, subgraph));
  const [found, other] = all;
  if (!found) return { kind: "unknown-subgraph" };
  if (other) return { kind: "several", deployments: all.map(({ deployment }) => deployment.deployment) };
  const { deployment } = found;
  const layout = layoutOf(deployment);
  const table = historyTable(layout, entity);
  if (!table) return { kind: "unknown-type", types: [...new Set(layout.tables.map(({ type }) => type))] };
  const writers = await found.writersOf(table.type);
  const history = await readHistory(
    { deployment, layout },
    table,
    writers,
    { id, before: before ?? null },
    (work) => timedRead(database, work, signal),
  );
  return history ? { kind: "history", history } : { kind: "unknown-entity", type: table.type };
}

async function ofBuilds(database: Database, builds: readonly ReadBuild[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const build of builds) {
    const deployment = await findDeployment(database, linkBuild(build).deploymentId);
    const { carried } = takeCarried(build);
    if (deployment)
      found.push({ deployment, writersOf: async (type) => typeWriters(build.manifest, carried, type) });
  }
  return found;
}

async function ofWord(
  database: Database,
  { word, name, version }: Extract<NamedHistoryRequest["subgraph"], { readonly word: string }>,
): Promise<readonly Found[]> {
  const read = createReadWriters({ database });
  const named = (await buildsNamed(database, name)).filter(
    (one) => version === undefined || one.version === version,
  );
  const own = await findDeployment(database, word);
  const ids = own ? [own.deployment] : [...new Set(named.map((one) => one.deployment))];
  const found: Found[] = [];
  for (const id of ids) {
    const deployment = await findDeployment(database, id);
    if (!deployment) continue;
    // What `run` has indexed belongs to no project, and its build is not kept.
    const hosted = named.find((one) => one.project !== "" && one.deployment === id);
    const entry = hosted ? await findVersion(database, hosted) : (await versionsOf(database, id))[0];
    found.push({
      deployment,
      writersOf: async (type) => (entry ? read(entry, type) : { writers: undefined }),
    });
  }
  return found;
}
