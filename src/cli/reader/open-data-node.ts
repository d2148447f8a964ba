import type { World } from "../../base/world.js";
import { createDataNode, type DataNode, type FillingNode } from "../../data/nodes/data-node.js";
import { createNodeWorld } from "../../machine/world.js";
import { createRpcClient } from "../../runtime/chain/rpc/rpc-client.js";

/** Milliseconds that a node may leave a question unanswered. */
const patience = 5_000;
/** Questions that are sent together: a hostile contract may answer with two megabytes. */
const batch = 20;

/** A node for data that the tables lack; `undefined` without an address. */
export function openDataNode(url: string, signal: AbortSignal): FillingNode;
export function openDataNode(url: string | undefined, signal: AbortSignal): FillingNode | undefined;
export function openDataNode(url: string | undefined, signal: AbortSignal): FillingNode | undefined {
  if (url === undefined) return undefined;
  return createDataNode(
    createRpcClient(url, createNodeWorld(signal), { patience, timeout: patience, batch }),
  );
}

/**
 * One of the nodes that a server shares. @param name the name of the node in messages @param fetch sends every body
 * to it
 */
export function openSharedNode(name: string, fetch: World["fetch"], signal: AbortSignal): DataNode {
  const world = { ...createNodeWorld(signal), fetch };
  return createDataNode(createRpcClient(name, world, { patience, timeout: patience, batch }));
}
