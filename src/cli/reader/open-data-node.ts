import { createDataNode, type DataNode } from "../../data/nodes/data-node.js";
import { createNodeWorld } from "../../node/world.js";
import type { Asker } from "../../nodes/asker.js";
import type { Gateway } from "../../nodes/gateway.js";
import { responseOf } from "../../nodes/gateway-fetch.js";
import { createRpcClient } from "../../runtime/chain/rpc-client.js";

/** Milliseconds that a node may leave a question unanswered. */
const patience = 5_000;
/** Questions that are sent together: a hostile contract may answer with two megabytes. */
const batch = 20;

/** A node for what the tables do not hold; `undefined` without an address. */
export function openDataNode(url: string, signal: AbortSignal): DataNode;
export function openDataNode(url: string | undefined, signal: AbortSignal): DataNode | undefined;
export function openDataNode(url: string | undefined, signal: AbortSignal): DataNode | undefined {
  if (url === undefined) return undefined;
  return createDataNode(
    createRpcClient(url, createNodeWorld(signal), { patience, timeout: patience, batch }),
  );
}

/** How a node of a server is asked. */
export interface SharedNodeOptions {
  readonly asker: Asker;
  /** Its place among the nodes of the network. */
  readonly place: number;
  readonly signal: AbortSignal;
}

/** One of the nodes that a server shares. What it is asked waits for its turn and takes from the budget of the server. */
export function openSharedNode(gateway: Gateway, { asker, place, signal }: SharedNodeOptions): DataNode {
  const world = createNodeWorld(signal);
  return createDataNode(
    createRpcClient(
      gateway.names[place] ?? "",
      {
        ...world,
        async fetch(_, { body, signal: late }) {
          const ended = late ? AbortSignal.any([late, signal]) : signal;
          const answer = await gateway.answer(asker, String(body), ended, place);
          ended.throwIfAborted();
          return responseOf(answer);
        },
      },
      { patience, timeout: patience, batch },
    ),
  );
}
