import type { RpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import type { RawLog } from "../pool/block-tree.js";
import type { ServedBlock } from "./played-portal.js";

/** The last block of a node's chain up to a number, with all blocks before it and their logs. */
export async function blocksOfNode(client: RpcClient, last: number): Promise<ServedBlock> {
  let tip: ServedBlock | undefined;
  for (let number = 0; number <= last; number++) {
    const at = `0x${number.toString(16)}`;
    const raw = (await client.request("eth_getBlockByNumber", [at, true])) as ServedBlock["raw"];
    const blockHash = String(raw.hash);
    const logs = (await client.request("eth_getLogs", [{ blockHash }])) as readonly RawLog[];
    tip = { number, hash: blockHash, parent: tip, raw, logs };
  }
  if (!tip) throw new Error("the chain has no blocks");
  return tip;
}
