import { usualDepth } from "../../chains/finality.js";
import type { BlockPointer } from "./chain.js";
import { decodePointer } from "./decode-block.js";
import type { RpcClient } from "./rpc-client.js";
import { RpcError } from "./rpc-errors.js";

/**
 * The newest block that no reorganisation replaces: the one that the node calls final, or one far behind the head.
 * @returns `undefined` for a chain that is too short to have one
 * @throws ChainError when the node does not answer
 */
export async function finalBlock(client: RpcClient, head: BlockPointer): Promise<BlockPointer | undefined> {
  return (
    (await blockAt(client, "finalized")) ??
    (head.number > usualDepth
      ? await blockAt(client, `0x${(head.number - usualDepth).toString(16)}`)
      : undefined)
  );
}

async function blockAt(client: RpcClient, tag: string): Promise<BlockPointer | undefined> {
  const method = "eth_getBlockByNumber";
  try {
    const answer = await client.request(method, [tag, false], { tells: () => true });
    return answer === null ? undefined : decodePointer(method, answer);
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}
