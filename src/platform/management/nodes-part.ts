import { dataOf, listOf, noTimeSchema, objectOf, textSchema } from "../../api/extension.js";
import type { NodeFailure } from "../../base/meters.js";
import type { NodeCount, RecentNodeCounts } from "../figures/node-counts.js";
import { type ChainReading, type NodeReading, readNodes } from "../figures/read-nodes.js";
import { addExtension } from "../http/add-extension.js";
import { callerOf } from "../http/roles.js";
import type { ServerPart } from "../server-part.js";

const count = { type: "integer", minimum: 0 };
const noNumber = { type: ["number", "null"] };

const failureSchema = {
  ...objectOf({ at: { type: "string", format: "date-time" }, reason: textSchema() }),
  type: ["object", "null"],
};

const nodeSchema = objectOf({
  name: textSchema("Protocol, host and port. The rest of the address is secret."),
  addresses: { ...count, description: "How many addresses have this name." },
  requests: { ...count, description: "All requests of the last hour. A request may hold many calls." },
  failed: { ...count, description: "Requests that got no answer, or an error." },
  throttled: { ...count, description: "Requests that were refused with status 429." },
  mean_seconds: { ...noNumber, description: "How long answers took on average." },
  last_outcome: {
    type: ["string", "null"],
    enum: ["answered", "limited", "refused", "away", null],
    description: "How the last request ended.",
  },
  last_failure: {
    ...failureSchema,
    description: "Why it did not answer, when it last did not within the last hour.",
  },
  set_aside: {
    type: ["string", "null"],
    description: "Why its answers are not used: it serves another chain than the network's.",
  },
  last_failure_of_data_service: {
    ...failureSchema,
    description: "The same for the data service of this server, however long ago.",
  },
});

const chainSchema = objectOf({
  network: textSchema(),
  chain_id: { type: ["string", "null"], description: "Decimal." },
  state: {
    type: "string",
    enum: ["up", "away", "stuck", "behind", "other-chain", "unknown"],
    description: "`unknown` while nothing follows the chain.",
  },
  since: { ...noTimeSchema, description: "Since when the state is not `up`." },
  head_block: { type: ["integer", "null"], description: "The last block that was seen." },
  head_changed_at: noTimeSchema,
  nodes: { ...listOf(nodeSchema), description: "In the order in which they are asked." },
  subgraphs: { ...listOf(textSchema()), description: "The project's subgraphs on the chain: `pools/1.0.0`." },
  pipelines: { ...listOf(textSchema()), description: "The project's pipelines that read its datasets." },
  data_service: {
    type: "boolean",
    description: "Whether the server's data service asks its nodes.",
  },
});

/** The server part that tells programs about the chains' nodes. @param counts without them, all counts are 0 */
export function nodesPart(counts?: RecentNodeCounts): ServerPart {
  return (platform) => ({
    routes: (app) => {
      addExtension(
        app,
        {
          method: "GET",
          path: "/nodes",
          summary: "Lists the chains of the server and their nodes, with the requests of the last hour.",
          answer: dataOf(listOf(chainSchema)),
        },
        { role: "Viewer" },
        async ({ request }) => {
          const chains = await readNodes(platform, callerOf(request).project, counts, request.log);
          return { data: chains.map(shownChain) };
        },
      );
    },
  });
}

function shownChain(chain: ChainReading) {
  const { network, chainId, state, head, headAt, nodes, subgraphs, pipelines, isOfData } = chain;
  return {
    network,
    chain_id: chainId ?? null,
    state: state?.kind ?? (head === undefined ? "unknown" : "up"),
    since: timeOf(state?.since),
    head_block: head ?? null,
    head_changed_at: timeOf(headAt),
    nodes: nodes.map(shownNode),
    subgraphs,
    pipelines,
    data_service: isOfData,
  };
}

function failureAnswer(failure: NodeFailure | undefined) {
  return failure ? { at: timeOf(failure.at), reason: failure.why } : null;
}

function shownNode({ name, addresses, count: counted, setAside, failureOfData }: NodeReading) {
  const { answered, limited, refused, away } = counted?.requests ?? none;
  return {
    name,
    addresses,
    requests: answered + limited + refused + away,
    failed: refused + away,
    throttled: limited,
    mean_seconds: counted?.meanSeconds ?? null,
    last_outcome: counted?.last ?? null,
    last_failure: failureAnswer(counted?.failure),
    set_aside: setAside ?? null,
    last_failure_of_data_service: failureAnswer(failureOfData),
  };
}

const none: NodeCount["requests"] = { answered: 0, limited: 0, refused: 0, away: 0 };

function timeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
