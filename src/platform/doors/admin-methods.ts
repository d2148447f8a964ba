import type { FastifyRequest } from "fastify";
import type { FairTurns } from "../../base/turns/fair-turns.js";
import { CompositionError } from "../../subgraph/runnable/composition-error.js";
import { logFailure, problemOf } from "../http/app.js";
import { goneOf } from "../http/limits/gone-of.js";
import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import type { Problem } from "../problem.js";
import { pauseSubgraph, removeSubgraph } from "../subgraphs/change-subgraphs.js";
import { type References, requireUnused } from "../subgraphs/references.js";
import { untagSubgraph } from "../subgraphs/tag-subgraphs.js";
import { listVersions, type SubgraphVersion, versionsOf } from "../subgraphs/versions.js";
import { readUploadedBuild } from "./deploy-files.js";
import { deployVersion } from "./deploy-version.js";
import type { DoorCallers } from "./door-callers.js";
import { createName, deleteName, subgraphOf } from "./door-names.js";
import { DoorView } from "./door-view.js";
import { RpcError, type RpcMethod } from "./json-rpc.js";
import { checkNetwork, resolving, validating } from "./judge-manifest.js";
import {
  createShape,
  type DeployParams,
  deployShape,
  pauseShape,
  readParams,
  reassignShape,
  removeShape,
  resumeShape,
} from "./params.js";

/** The dependencies of the admin port's calls. */
export interface AdminScope {
  readonly platform: Platform;
  readonly callers: DoorCallers;
  /** References to versions, besides tags. */
  readonly references: readonly References[];
  /** The port that queries are sent to. */
  readonly queryPort: () => number;
  readonly turns: FairTurns;
}

/** The codes of refusals, by method. */
const codes = {
  subgraph_deploy: 0,
  subgraph_remove: 1,
  subgraph_create: 2,
  subgraph_reassign: 3,
  subgraph_pause: 4,
  subgraph_resume: 5,
} as const;
/** The code of a refusal for a missing key or role. */
const authCode = -32_000;
/** The node that the status API names for every deployment. */
export const nodeName = "default";

/** Each deployment reads a whole build, and projects take turns. */
export const deployTurns = {
  atOnce: 1,
  atOnceOfOne: 1,
  waitingOfOne: 20,
  refusal: "This project has 20 deployments waiting already. Wait for them, then try again.",
};

/** The methods of the admin port, for one request. */
export function adminMethods(scope: AdminScope, request: FastifyRequest): ReadonlyMap<string, RpcMethod> {
  let known: Promise<Caller> | undefined;
  const caller = async (): Promise<Caller> => {
    known ??= scope.callers.require(request);
    const found = await known;
    requireRole(found, "Editor");
    return found;
  };
  const method = <Params>(
    name: keyof typeof codes,
    read: (params: unknown) => Params,
    run: (caller: Caller, params: Params) => Promise<unknown>,
  ): [string, RpcMethod] => [
    name,
    async (given) => {
      try {
        const params = read(given);
        return await run(await caller(), params);
      } catch (error) {
        throw refusalOf(error, name, request);
      }
    },
  ];
  return new Map([
    method(
      "subgraph_create",
      (given) => readParams(given, createShape),
      (who, { name }) => create(scope, who, name),
    ),
    method(
      "subgraph_deploy",
      (given) => readParams(given, deployShape),
      (who, params) =>
        scope.turns.run(who.project, () => deploy(scope, who, params, request), goneOf(request)),
    ),
    method(
      "subgraph_remove",
      (given) => readParams(given, removeShape),
      (who, { name }) => remove(scope, who, name),
    ),
    method(
      "subgraph_reassign",
      (given) => readParams(given, reassignShape),
      // No other node can index a deployment. Assigning to the only node does not end a pause.
      (who, { ipfs_hash: hash, node_id: node }) =>
        setPaused(scope, who, hash, node === nodeName ? undefined : true, codes.subgraph_reassign),
    ),
    method(
      "subgraph_pause",
      (given) => readParams(given, pauseShape),
      (who, { deployment }) => setPaused(scope, who, deployment, true, codes.subgraph_pause),
    ),
    method(
      "subgraph_resume",
      (given) => readParams(given, resumeShape),
      (who, { deployment }) => setPaused(scope, who, deployment, false, codes.subgraph_resume),
    ),
  ]);
}

async function create(
  { platform }: AdminScope,
  caller: Caller,
  name: string,
): Promise<{ readonly id: string }> {
  return platform.database.transaction(async (sql) => {
    const { id, isNew } = await createName(sql, caller.project, name);
    if (isNew) await noteChange(sql, caller, "subgraph.name", name);
    return { id };
  });
}

/** Finds mistakes in graph-node's order: a wrong manifest comes before a missing name. */
async function deploy(
  { platform, callers, references, queryPort }: AdminScope,
  caller: Caller,
  { name, ipfs_hash: hash, debug_fork: fork, version_label: label }: DeployParams,
  request: FastifyRequest,
): Promise<{ readonly playground: string; readonly queries: string }> {
  if (fork !== undefined) throw new RpcError(0, "subgraph deployment error: this server has no debug forks");
  platform.memory?.require();
  const { database, hosting } = platform;
  const client = callers.client(request);
  const uploaded = await readUploadedBuild(database, hash, { project: caller.project, client });
  checkNetwork(hosting, uploaded.network);
  const subgraph = await subgraphOf(database, caller.project, name);
  if (subgraph === undefined) throw new RpcError(0, `subgraph name not found: ${name}`);
  const wanted = { subgraph, hash, uploaded, client, label, isPublic: callers.isOpen };
  await deployVersion(platform, caller, wanted, references);
  // Without a key, a name means the oldest project with that name.
  const found = await new DoorView(database).byName(name);
  const isOfAnother = found !== undefined && found.project !== caller.project;
  const path = `:${queryPort()}/subgraphs/${isOfAnother ? `id/${hash}` : `name/${name}`}`;
  return { playground: `${path}/graphql`, queries: path };
}

async function remove({ platform, references }: AdminScope, caller: Caller, name: string): Promise<null> {
  const { database } = platform;
  const subgraph = await subgraphOf(database, caller.project, name);
  if (subgraph === undefined) return null;
  const entries = await listVersions(database, caller.project, { name: subgraph, limit: 10_000 });
  // Nothing is deleted if something is still used.
  for (const entry of entries) await requireUnused(database, entry, references);
  for (const { version, target } of entries) {
    if (target === undefined) continue;
    await untagSubgraph(platform, caller, { name: subgraph, tag: version }, references);
  }
  for (const entry of entries) {
    if (entry.target === undefined) await removeSubgraph(platform, caller, entry, references);
  }
  await database.transaction(async (sql) => {
    await deleteName(sql, caller.project, name);
    await noteChange(sql, caller, "subgraph.unname", name);
  });
  return null;
}

/** @param isPaused `undefined` changes nothing */
async function setPaused(
  { platform }: AdminScope,
  caller: Caller,
  deployment: string,
  isPaused: boolean | undefined,
  code: number,
): Promise<null> {
  const own = (await versionsOf(platform.database, deployment)).filter(
    ({ project }) => project === caller.project,
  );
  if (own.length === 0) throw new RpcError(code, `deployment not found: ${deployment}`);
  if (isPaused === undefined) return null;
  for (const version of toChange(own, isPaused)) await pauseSubgraph(platform, caller, version, isPaused);
  return null;
}

function toChange(versions: readonly SubgraphVersion[], isPaused: boolean): readonly SubgraphVersion[] {
  return versions.filter((version) => version.isPaused !== isPaused);
}

function refusalOf(error: unknown, method: keyof typeof codes, request: FastifyRequest): RpcError {
  if (error instanceof RpcError) return error;
  const problem = problemOf(error);
  logFailure(request, problem, error);
  if (problem.type === "unauthorized" || problem.type === "forbidden") {
    return new RpcError(authCode, `auth failure: ${problem.message}`);
  }
  return new RpcError(codes[method], wordsOf(problem, method));
}

function wordsOf({ type, message, cause }: Problem, method: keyof typeof codes): string {
  if (type === "internal") return "internal error";
  if (method !== "subgraph_deploy") return message;
  if (cause instanceof CompositionError) return resolving(`resolve error: ${message}`);
  return type === "unprocessable" ? validating(message) : `subgraph deployment error: ${message}`;
}
