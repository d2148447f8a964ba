import { foreignText } from "../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { World } from "../../base/world.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, serviceAddress } from "../../web/http/service-address.js";
import type { DeploymentStatus } from "../target.js";
import { GraphNodeError } from "./graph-node-error.js";
import { readTold, type ToldStatus, toldFields } from "./told-status.js";

export interface IndexingStatus extends DeploymentStatus {
  readonly deploymentId: string;
  /** The first block at which entities can be queried. */
  readonly earliestBlock?: number;
  /** Errors of handlers that failed and were skipped; foreign text. */
  readonly nonFatalErrors: readonly { readonly message: string; readonly handler?: string }[];
}

/** The index-node status API of a graph-node. Failures are GraphNodeError, or HttpError. */
export interface GraphNodeStatus {
  /** Status by deployment id; `undefined` if graph-node does not know it. */
  ofDeployment(id: string): Promise<IndexingStatus | undefined>;
  /** The statuses of the deployments that graph-node knows. */
  ofDeployments(ids: readonly string[]): Promise<readonly IndexingStatus[]>;
  /** All status fields of the deployments that graph-node knows. */
  tell(ids: readonly string[]): Promise<readonly ToldStatus[]>;
  /** Status of the latest deployment of a name; `undefined` if there is none. */
  ofName(name: string): Promise<IndexingStatus | undefined>;
}

const fields =
  "subgraph synced paused health fatalError { message handler deterministic } nonFatalErrors { message handler } " +
  "chains { latestBlock { number } chainHeadBlock { number } earliestBlock { number } }";

const deploymentQuery = `query ($ids: [String!]) { indexingStatuses(subgraphs: $ids) { ${fields} } }`;
const tellQuery = `query ($ids: [String!]) { indexingStatuses(subgraphs: $ids) { ${toldFields} } }`;

/** The hash of an empty file, which can never be a deployment. */
export const nobody = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH";

// The pending version is the latest deployment of a name; the current one is older until the pending one is synced.
const nameQuery = `query ($name: String!) {
  pending: indexingStatusForPendingVersion(subgraphName: $name) { ${fields} }
  current: indexingStatusForCurrentVersion(subgraphName: $name) { ${fields} }
}`;

/** Derives the URL of the status API from the admin interface's: the same host, port 8030. */
export function statusUrlOf(adminUrl: string): string | undefined {
  if (!serviceAddress(adminUrl)) return undefined;
  const url = new URL(adminUrl);
  url.port = "8030";
  url.pathname = "/graphql";
  url.search = "";
  return url.href;
}

/**
 * @param url including the path: `http://localhost:8030/graphql`
 * @throws GraphNodeError if it is not a web URL
 */
export function createGraphNodeStatus(url: string, world: World, options: SendOptions = {}): GraphNodeStatus {
  const address = serviceAddress(url);
  if (!address) throw new GraphNodeError(`The address of graph-node's status ${notAnAddress}`);
  const { origin } = address;

  async function ask(query: string, variables: object): Promise<Readonly<Record<string, unknown>>> {
    const body = { kind: "json", value: { query, variables } } as const;
    const { status, text } = await send({ method: "POST", url, body, retry: true }, world, options);
    const answer = parseJson(text);
    if (isRecord(answer) && isRecord(answer.data) && !Array.isArray(answer.errors)) return answer.data;
    throw nonsense(origin, status, isRecord(answer) ? (messageIn(answer.errors) ?? text) : text);
  }

  function read(value: unknown): IndexingStatus | undefined {
    if (value === null || value === undefined) return undefined;
    const status = readStatus(value);
    if (!status) throw nonsense(origin, 200, JSON.stringify(value));
    return status;
  }

  async function ofDeployments(ids: readonly string[]): Promise<readonly IndexingStatus[]> {
    // Without ids, graph-node returns all deployments.
    if (ids.length === 0) return [];
    const { indexingStatuses } = await ask(deploymentQuery, { ids });
    const found = Array.isArray(indexingStatuses) ? indexingStatuses : [indexingStatuses];
    return found.flatMap((one) => read(one) ?? []);
  }

  return {
    ofDeployments,
    async tell(ids) {
      // Without ids, graph-node returns all deployments; with an id that does not exist, none.
      const { indexingStatuses: found } = await ask(tellQuery, { ids: ids.length === 0 ? [nobody] : ids });
      if (!Array.isArray(found)) throw nonsense(origin, 200, JSON.stringify(found));
      return found.map((one) => {
        const told = readTold(one);
        if (told) return told;
        throw nonsense(origin, 200, JSON.stringify(one));
      });
    },
    ofDeployment: async (id) => (await ofDeployments([id]))[0],
    async ofName(name) {
      const { pending, current } = await ask(nameQuery, { name });
      return read(pending) ?? read(current);
    },
  };
}

function readStatus(value: unknown): IndexingStatus | undefined {
  if (!isRecord(value) || typeof value.subgraph !== "string" || typeof value.synced !== "boolean")
    return undefined;
  const chain = Array.isArray(value.chains) && isRecord(value.chains[0]) ? value.chains[0] : {};
  const block = blockNumber(chain.latestBlock);
  const head = blockNumber(chain.chainHeadBlock);
  const earliest = blockNumber(chain.earliestBlock);
  const fatal = isRecord(value.fatalError) ? value.fatalError : undefined;
  const others = Array.isArray(value.nonFatalErrors) ? value.nonFatalErrors : [];
  return {
    deploymentId: value.subgraph,
    ...(earliest !== undefined && { earliestBlock: earliest }),
    nonFatalErrors: others.flatMap(readError),
    synced: value.synced,
    ...(value.paused === true && { paused: true }),
    health: healthOf(value.health, fatal),
    ...(block !== undefined && { block }),
    ...(head !== undefined && { head }),
    ...(typeof fatal?.message === "string" && { fatalError: fatal.message }),
    ...(typeof fatal?.handler === "string" && { failedHandler: fatal.handler }),
  };
}

function readError(value: unknown): IndexingStatus["nonFatalErrors"] {
  if (!isRecord(value) || typeof value.message !== "string") return [];
  const { message, handler } = value;
  return [{ message, ...(typeof handler === "string" && { handler }) }];
}

/** graph-node also reports `failed` for errors that it retries, such as an unreachable node of the chain. */
function healthOf(
  health: unknown,
  fatal: Readonly<Record<string, unknown>> | undefined,
): DeploymentStatus["health"] {
  if (health === "failed") return fatal?.deterministic === false ? "unhealthy" : "failed";
  return health === "healthy" || health === "unhealthy" ? health : "unknown";
}

/** Block numbers are sent as strings. */
function blockNumber(block: unknown): number | undefined {
  const text = isRecord(block) ? block.number : undefined;
  const number = typeof text === "string" || typeof text === "number" ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

function messageIn(errors: unknown): string | undefined {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return isRecord(first) && typeof first.message === "string" ? first.message : undefined;
}

function nonsense(origin: string, status: number, text: string): GraphNodeError {
  const said = foreignText(text);
  return new GraphNodeError(
    `${origin} did not answer as the status interface of graph-node does (status ${status})${said === "" ? "" : `: ${said}`}; ` +
      "check the address (usually port 8030, path /graphql)",
  );
}
