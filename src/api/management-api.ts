import { parseAddress } from "../web/http/address.js";
import { openStream } from "../web/http/open-stream.js";
import { checkData } from "./answers/check-answer.js";
import { ApiProblem } from "./answers/problem.js";
import { readProblem } from "./answers/read-problem.js";
import { buildOperations, largestBuild } from "./build-operations.js";
import { callOperation, type OperationInput } from "./call-operation.js";
import { type AnyInput, type ApiConnection, callForBytes, callRoute, requestOf } from "./call-route.js";
import type {
  CreatedWebhook,
  LogPage,
  NewSecret,
  NewWebhook,
  Operations,
  Pipeline,
  Secret,
  SecretPatch,
  Subgraph,
  SubgraphPatch,
  Webhook,
  WebhookEntity,
} from "./contract.js";
import { type DeployedSubgraph, type DeployInput, deployForm, type WarnedSubgraph } from "./deploy-form.js";
import {
  dumpMedia,
  dumpOperations,
  type RestoreInfo,
  type RestoreOperationId,
  restoreOperations,
  type SentDump,
  type SentDumpPosition,
  type SentPieceInfo,
} from "./dump-operations.js";
import { parquetMedia } from "./extension.js";
import { listPages } from "./list-pages.js";
import { type RewindInfo, rewindOperations, type SentRewind } from "./rewind-operations.js";
import { hiddenTexts, type SecretValue } from "./secret-types.js";

/** Filters of a log; every field is optional. */
export type LogQuery = Operations["getSubgraphLogs"]["query"];

/**
 * The management API of one project. Every method rejects with ApiProblem if the API refuses, HttpError if there is
 * no response, and ApiAnswerError if the response does not match the contract. Reading operations make up to three
 * attempts, all others one.
 */
export interface ManagementApi {
  /** Rejects unless the token may read the project. */
  checkAccess(): Promise<void>;
  /** All versions and tags of the project, by name and version. */
  listSubgraphs(): Promise<readonly Subgraph[]>;
  /** All versions and tags of a subgraph. */
  getSubgraph(name: string): Promise<readonly Subgraph[]>;
  /** Names of the chains that can be indexed. */
  supportedChains(): Promise<readonly string[]>;
  /** A version or a tag; `undefined` if it does not exist. */
  getSubgraphVersion(name: string, version: string): Promise<WarnedSubgraph | undefined>;
  /** The same, but it rejects if the version does not exist. */
  requireSubgraphVersion(name: string, version: string): Promise<Subgraph>;
  /** Changes a version or a tag. */
  updateSubgraph(name: string, version: string, patch: SubgraphPatch): Promise<Subgraph>;
  logs(name: string, version: string, query: LogQuery): Promise<LogPage>;
  pause(name: string, version: string): Promise<void>;
  resume(name: string, version: string): Promise<void>;
  /** Creates a tag, or moves it. */
  setTag(name: string, tag: string, targetVersion: string): Promise<Subgraph>;
  deleteTag(name: string, tag: string): Promise<void>;
  deploy(name: string, version: string, input: DeployInput): Promise<DeployedSubgraph>;
  deleteDeployment(name: string, version: string): Promise<void>;
  /** The zip of a version's build, or a tag's. Unchecked. An extension: other servers answer 404. */
  build(name: string, version: string): Promise<Uint8Array>;
  /** The zip of a deployment's build, by the deployment's id. Unchecked. An extension, like `build`. */
  deployedBuild(deployment: string): Promise<Uint8Array>;
  /**
   * What comes after a position in a dump of a version or a tag, as the server sends it: unchecked, and asked for once.
   * The stream throws like other methods. An extension, like `build`.
   */
  dump(name: string, version: string, position: SentDumpPosition): AsyncGenerator<Uint8Array>;
  /** Begins to restore a dump, or says how far that is. An extension, like `build`. */
  beginRestore(dump: SentDump): Promise<RestoreInfo>;
  /** Loads rows of a restore. @param bytes a Parquet file */
  addRestoreRows(deployment: string, piece: SentPieceInfo, bytes: Uint8Array): Promise<void>;
  /** Completes a restore, or waits for that for some seconds. Repeat it until the state is `done`. */
  completeRestore(deployment: string): Promise<"running" | "done">;
  /** What taking a version back to a block would do. An extension, like `build`. */
  planRewind(name: string, version: string, asked: SentRewind): Promise<RewindInfo>;
  /** Takes a version back to a block. An extension. */
  rewind(name: string, version: string, asked: SentRewind): Promise<void>;
  /** The entities of a version that webhooks can watch. */
  entities(name: string, version: string): Promise<readonly WebhookEntity[]>;
  listWebhooks(): Promise<readonly Webhook[]>;
  createWebhook(webhook: NewWebhook): Promise<CreatedWebhook>;
  deleteWebhook(name: string): Promise<void>;
  /** The secrets of the project by name, without their values. Secrets are an extension: other servers have none. */
  listSecrets(): Promise<readonly Secret[]>;
  createSecret(secret: NewSecret): Promise<Secret>;
  updateSecret(name: string, patch: SecretPatch): Promise<Secret>;
  deleteSecret(name: string): Promise<void>;
  /** The value of a secret. The server records who revealed it. */
  revealSecret(name: string): Promise<SecretValue>;
  listPipelines(): Promise<readonly Pipeline[]>;
  /** The number of errors in the pipeline's log; `sinceHours` is from 1 to 168, 6 by default. */
  pipelineErrorCount(name: string, sinceHours?: number): Promise<number>;
}

/** Operations that answer with a document that has `data`. */
type DataOperation = {
  [Id in keyof Operations]: Operations[Id]["answer"] extends { readonly data: unknown } ? Id : never;
}[keyof Operations];

type Call = <Id extends keyof Operations>(
  id: Id,
  input: OperationInput<Id>,
) => Promise<Operations[Id]["answer"]>;

/** Creates a client of the API at an address. This sends no request. */
export function createManagementApi(connection: ApiConnection): ManagementApi {
  const call: Call = (id, input) => callOperation(connection, id, input);
  const buildOf = async (
    id: "getSubgraphBuild" | "getDeploymentBuild",
    path: Readonly<Record<string, string>>,
  ): Promise<Uint8Array> => {
    const { bytes } = await callForBytes(
      { ...connection, maxAnswer: largestBuild },
      { ...buildOperations[id], id },
      { path, timeout: connection.timeout ?? buildTimeout },
    );
    return bytes;
  };
  /** @returns what the answer has in `data` */
  const restoreCall = async (id: RestoreOperationId, input: AnyInput): Promise<unknown> => {
    const operation = restoreOperations[id];
    const timeout = connection.timeout ?? restoreTimeout;
    const { text, secrets } = await callRoute(connection, { ...operation, id }, { ...input, timeout });
    return operation.answer && checkData(id, operation, text, secrets);
  };
  const dataOf = async <Id extends DataOperation>(
    id: Id,
    input: OperationInput<Id>,
  ): Promise<Operations[Id]["answer"]["data"]> => (await call(id, input)).data;

  return {
    async checkAccess() {
      await call("listSubgraphs", { query: { page_size: 1 } });
    },
    listSubgraphs: () => listPages(connection, "listSubgraphs", {}),
    getSubgraph: (name) => listPages(connection, "getSubgraph", { path: { name } }),
    supportedChains: async () => (await dataOf("listSubgraphChains", {})).supported_chains,
    getSubgraphVersion: async (name, version) => {
      try {
        return await requireSubgraphVersion(call, name, version);
      } catch (error) {
        if (saysNotFound(error)) return undefined;
        throw error;
      }
    },
    requireSubgraphVersion: (name, version) => requireSubgraphVersion(call, name, version),
    updateSubgraph: (name, version, body) =>
      dataOf("updateSubgraphVersion", { path: { name, version }, body }),
    logs: (name, version, query) => dataOf("getSubgraphLogs", { path: { name, version }, query }),
    pause: (name, version) => call("pauseSubgraph", { path: { name, version } }),
    resume: (name, version) => call("resumeSubgraph", { path: { name, version } }),
    setTag: (name, tag, target_version) =>
      dataOf("setSubgraphTag", { path: { name, version: tag }, body: { target_version } }),
    deleteTag: (name, tag) => call("deleteSubgraphTag", { path: { name, version: tag } }),
    deploy: (name, version, input) =>
      call("deploySubgraph", {
        path: { name, version },
        form: { parts: deployForm(input), onProgress: input.onProgress },
        timeout: connection.timeout ?? deployTimeout,
      }),
    deleteDeployment: (name, version) => call("deleteSubgraphDeployment", { path: { name, version } }),
    build: (name, version) => buildOf("getSubgraphBuild", { name, version }),
    deployedBuild: (deployment) => buildOf("getDeploymentBuild", { deployment }),
    async *dump(name, version, position) {
      const id = "dumpSubgraph";
      const input = { path: { name, version }, body: position };
      const request = requestOf(connection, { ...dumpOperations[id], id }, input, dumpMedia);
      const opened = await openStream(request, connection.world, dumpMedia);
      if (opened.kind === "other") throw readProblem(id, opened.answer, [connection.token]);
      connection.onRequest?.(`${request.method} ${request.shown} -> 200`);
      yield* opened.pieces;
    },
    beginRestore: async (body) => (await restoreCall("beginRestore", { body })) as RestoreInfo,
    addRestoreRows: async (deployment, { first, rows, ...piece }, bytes) => {
      const query = { ...piece, first, rows };
      await restoreCall("addRestoreRows", {
        path: { deployment },
        query,
        file: { media: parquetMedia, bytes },
      });
    },
    completeRestore: async (deployment) => {
      const answer = await restoreCall("completeRestore", { path: { deployment } });
      return (answer as { readonly state: "running" | "done" }).state;
    },
    planRewind: async (name, version, { block, hash }) => {
      const id = "planSubgraphRewind";
      const operation = rewindOperations[id];
      const input = { path: { name, version }, query: { block, hash } };
      const { text, secrets } = await callRoute(connection, { ...operation, id }, input);
      return checkData(id, operation, text, secrets) as RewindInfo;
    },
    rewind: async (name, version, body) => {
      const id = "rewindSubgraph";
      const operation = rewindOperations[id];
      const timeout = connection.timeout ?? rewindTimeout;
      const input = { path: { name, version }, body, timeout };
      const { text, secrets } = await callRoute(connection, { ...operation, id }, input);
      checkData(id, operation, text, secrets);
    },
    entities: async (name, version) =>
      (await dataOf("listWebhookEntities", { path: { name, version } })).entities,
    listWebhooks: () => dataOf("listWebhooks", {}),
    createWebhook: (body) => dataOf("createWebhook", { body, secrets: secretsOf(body) }),
    deleteWebhook: (name) => call("deleteWebhook", { path: { name } }),
    listSecrets: () => listPages(connection, "listSecrets", {}),
    createSecret: (body) => dataOf("createSecret", { body, secrets: hiddenTexts(body.value) }),
    updateSecret: (name, body) => {
      const secrets = body.value && { secrets: hiddenTexts(body.value) };
      return dataOf("updateSecret", { path: { name }, body, ...secrets });
    },
    deleteSecret: (name) => call("deleteSecret", { path: { name } }),
    revealSecret: async (name) => (await dataOf("revealSecret", { path: { name } })).value,
    listPipelines: () => listPages(connection, "listPipelines", {}),
    pipelineErrorCount: async (name, sinceHours) => {
      const query = sinceHours === undefined ? {} : { since_hours: sinceHours };
      return (await dataOf("getPipelineErrorCount", { path: { name }, query })).error_count;
    },
  };
}

/**
 * Milliseconds without progress for a deployment: the server unpacks the bundle and deploys it before it
 * responds.
 */
const deployTimeout = 180_000;

/**
 * Milliseconds without progress for a build: a large one takes a while to pack, and may wait for others of its
 * project.
 */
const buildTimeout = 60_000;

/** Milliseconds without progress for a rewind: it may delete millions of rows before it responds. */
const rewindTimeout = 1_800_000;

/** Milliseconds without progress for a piece of a restore, whose rows wait for the database. */
const restoreTimeout = 180_000;

/** The secrets in the request that creates a webhook: its secret, and possible keys in its URL. */
function secretsOf({ secret, webhook_url }: NewWebhook): readonly string[] {
  const address = parseAddress(webhook_url);
  return [...(secret === undefined ? [] : [secret]), ...(address ? address.secrets : [])];
}

async function requireSubgraphVersion(call: Call, name: string, version: string): Promise<Subgraph> {
  const { data } = await call("getSubgraphVersion", { path: { name, version } });
  const found = data.find((each) => each.version === version) ?? data[0];
  if (found) return found;
  throw new ApiProblem({
    status: 404,
    title: "Subgraph not found",
    detail: `The project has no "${name}/${version}".`,
    type: "about:blank",
    errors: [],
    operation: "getSubgraphVersion",
    attempts: 1,
  });
}

function saysNotFound(error: unknown): boolean {
  return (
    error instanceof ApiProblem &&
    error.status === 404 &&
    !error.isPage &&
    (error.type === "about:blank" || error.type.endsWith("not-found"))
  );
}
