import { foreignText } from "../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { World } from "../../base/world.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, serviceAddress } from "../../web/http/service-address.js";
import { GraphNodeError } from "./graph-node-error.js";

/** The JSON-RPC admin interface of a graph-node. Failures are GraphNodeError, or HttpError. */
export interface GraphNodeAdmin {
  /** Protocol, host and port. */
  readonly origin: string;
  /** Creates a subgraph name; idempotent. */
  create(name: string): Promise<void>;
  /**
   * Deploys a manifest under a name. Never retried.
   * @param hash of the manifest on IPFS
   * @returns the query URL, if graph-node returns one
   */
  deploy(name: string, hash: string): Promise<string | undefined>;
  /**
   * Removes a subgraph name, and a deployment once its last name is gone. Ignores a name that does not exist.
   */
  remove(name: string): Promise<void>;
  /** Stops indexing a deployment; idempotent. */
  pause(deployment: string): Promise<void>;
  /** Resumes indexing a deployment; idempotent. */
  resume(deployment: string): Promise<void>;
  /**
   * Sends a read-only request that only this interface answers.
   * @throws if another server answers, or none
   */
  verify(): Promise<void>;
}

/** Milliseconds for graph-node to fetch the files from IPFS and check them. */
const defaultPatience = 180_000;

/**
 * @param url of the admin interface: `http://localhost:8020`
 * @throws GraphNodeError if it is not a web URL
 */
export function createGraphNodeAdmin(url: string, world: World, options: SendOptions = {}): GraphNodeAdmin {
  const address = serviceAddress(url);
  if (!address) throw new GraphNodeError(`The admin address of graph-node ${notAnAddress}`);
  const { origin } = address;
  let calls = 0;

  async function call(method: string, params: object, retry: boolean): Promise<unknown> {
    calls += 1;
    const value = { jsonrpc: "2.0", id: String(calls), method, params };
    const request = { method: "POST", url, body: { kind: "json", value }, retry } as const;
    const patience = { ...options, timeout: options.timeout ?? defaultPatience };
    const { status, text } = await send(request, world, patience);
    const answer = parseJson(text);
    if (isRecord(answer) && isRecord(answer.error)) throw refusal(origin, method, answer.error);
    if (isRecord(answer) && "result" in answer && status < 300) return answer.result;
    throw strange(origin, status, text);
  }

  /** Makes a call and treats graph-node's report that there is nothing to do as success. */
  async function ensure(method: string, params: object, done: RegExp): Promise<void> {
    try {
      await call(method, params, true);
    } catch (error) {
      if (!(error instanceof GraphNodeRefusal && done.test(error.said))) throw error;
    }
  }

  return {
    origin,
    create: (name) => ensure("subgraph_create", { name }, /already exists/),
    remove: (name) => ensure("subgraph_remove", { name }, /name not found/),
    pause: (deployment) => ensure("subgraph_pause", { deployment }, /already paused/),
    resume: (deployment) =>
      ensure("subgraph_resume", { deployment }, /not paused|already (?:running|active)/),
    async verify() {
      try {
        await call("subgraph_pause", {}, true);
      } catch (error) {
        // A JSON-RPC node lacks the method and returns a different error.
        if (error instanceof GraphNodeRefusal && error.code === invalidParams) return;
        throw error instanceof GraphNodeRefusal ? strange(origin, 200, error.said) : error;
      }
      throw strange(origin, 200, "");
    },
    async deploy(name, hash) {
      const result = await call("subgraph_deploy", { name, ipfs_hash: hash }, false);
      const queries = isRecord(result) ? result.queries : undefined;
      if (typeof queries !== "string" || queries === "") return undefined;
      if (!queries.startsWith(":")) return queries;
      const { protocol, hostname } = new URL(url);
      return `${protocol}//${hostname}${queries}`;
    },
  };
}

/** The JSON-RPC error code for invalid parameters. */
const invalidParams = -32602;

function strange(origin: string, status: number, text: string): GraphNodeError {
  const said = foreignText(text);
  return new GraphNodeError(
    `${origin} did not answer as the admin interface of graph-node does (status ${status})${said === "" ? "" : `: ${said}`}; ` +
      "check the address (usually port 8020)",
    undefined,
    status < 300 || status >= 500 ? "open" : "undone",
  );
}

/** An error response of graph-node, which understood the request and refused it. */
export class GraphNodeRefusal extends GraphNodeError {
  /** graph-node's own message. */
  readonly said: string;

  constructor(message: string, code: number | undefined, said: string) {
    // An internal error may have occurred after the deployment itself.
    super(message, code, /internal error/i.test(said) ? "ended" : "undone");
    this.said = said;
  }
}

/** Advice for messages of graph-node. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /network not supported by registrar: (\S+)/,
    "graph-node has no node for that network; start it with one (--ethereum-rpc), under the network name in the manifest",
  ],
  [
    /^subgraph resolve error.*(?:ipfs.*(?:time|fail|unavailable|not (?:found|available))|(?:timed out|timeout).*ipfs)/is,
    "graph-node could not download the files; check that it uses the IPFS node that you passed",
  ],
  [/subgraph name not found/, "the name was removed meanwhile; deploy again"],
  [
    /graft/,
    "wait until the base is deployed and has indexed that block, or choose an earlier block or a different base",
  ],
  [
    /the specified block \d+ must exist/,
    "wait until the chain has reached that block, or choose an earlier start block",
  ],
  [/subgraph (?:validation|resolve|deployment) error/, "correct the manifest or the schema, and build again"],
  [/valid subgraph name/i, "use a name of letters, digits, '-' and '_', with a letter in every part"],
  [/internal error/i, "see the log of graph-node for details"],
];

function refusal(origin: string, method: string, error: Readonly<Record<string, unknown>>): GraphNodeRefusal {
  const said = typeof error.message === "string" ? error.message : "";
  const code = typeof error.code === "number" ? error.code : undefined;
  const help = advice.find(([pattern]) => pattern.test(said))?.[1];
  const why = foreignText(said) || `code ${code ?? "unknown"}`;
  const fact = `graph-node at ${origin} refused ${method}: ${why}`;
  return new GraphNodeRefusal(help === undefined ? fact : `${fact}; ${help}`, code, said);
}
