import { foreignText } from "../../base/foreign-text.js";
import { isRecord, parseJson } from "../../base/json-value.js";
import type { World } from "../../base/world.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, serviceAddress } from "../../web/http/service-address.js";
import { GraphNodeError } from "./graph-node-error.js";

/** The interface of a graph-node by which subgraphs are deployed. Failures are GraphNodeError, or HttpError. */
export interface GraphNodeAdmin {
  /** Protocol, host and port. */
  readonly origin: string;
  /** Makes a name known; it may be already. */
  create(name: string): Promise<void>;
  /**
   * Deploys what a name is to stand for. Never repeated by itself.
   * @param hash of the manifest on IPFS
   * @returns where it is queried, when graph-node says so
   */
  deploy(name: string, hash: string): Promise<string | undefined>;
}

/** Milliseconds that graph-node may take for getting the files from IPFS and checking them. */
const defaultPatience = 180_000;

/**
 * @param url of the admin interface: `http://localhost:8020`
 * @throws GraphNodeError when that is no URL
 */
export function createGraphNodeAdmin(url: string, world: World, options: SendOptions = {}): GraphNodeAdmin {
  const address = serviceAddress(url);
  if (!address) throw new GraphNodeError(`The address of graph-node ${notAnAddress}`);
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
    const said = foreignText(text);
    throw new GraphNodeError(
      `${origin} did not answer as the admin interface of graph-node does (status ${status})${said === "" ? "" : `: ${said}`}; ` +
        "check its address, which has port 8020 mostly",
      undefined,
      status < 300 || status >= 500 ? "open" : "undone",
    );
  }

  return {
    origin,
    async create(name) {
      try {
        await call("subgraph_create", { name }, true);
      } catch (error) {
        if (!(error instanceof Refusal && /already exists/.test(error.said))) throw error;
      }
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

/** An error that graph-node itself told. */
class Refusal extends GraphNodeError {
  /** Its own words. */
  readonly said: string;

  constructor(message: string, code: number | undefined, said: string) {
    // What it does not name may have happened after the deployment itself.
    super(message, code, /internal error/i.test(said) ? "ended" : "undone");
    this.said = said;
  }
}

/** What helps, by what graph-node says. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /network not supported by registrar: (\S+)/,
    "graph-node knows no node of that network; start it with one (--ethereum-rpc), by the network's name in the manifest",
  ],
  [
    /subgraph resolve error/,
    "graph-node could not get or read the files; check that it uses the same IPFS node as given here",
  ],
  [/subgraph name not found/, "the name was removed meanwhile; deploy again"],
  [
    /graft/,
    "wait until the base is there and has indexed that block, or choose an earlier block for the graft, or another base",
  ],
  [/subgraph validation error/, "correct the manifest or the schema, and build again"],
  [/valid subgraph name/i, "use a name of letters, digits, '-' and '_', with a letter in every part"],
  [/internal error/i, "the log of graph-node says more"],
];

function refusal(origin: string, method: string, error: Readonly<Record<string, unknown>>): Refusal {
  const said = typeof error.message === "string" ? error.message : "";
  const code = typeof error.code === "number" ? error.code : undefined;
  const help = advice.find(([pattern]) => pattern.test(said))?.[1];
  const why = foreignText(said) || `code ${code ?? "unknown"}`;
  const fact = `graph-node at ${origin} refused ${method}: ${why}`;
  return new Refusal(help === undefined ? fact : `${fact}; ${help}`, code, said);
}
