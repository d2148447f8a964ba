import { type BlockPointer, ReorgError } from "./chain.js";
import { decodePointer } from "./rpc/decode-block.js";
import type { RpcClient } from "./rpc/rpc-client.js";
import { RpcError } from "./rpc-errors.js";

/**
 * Number and hash of the block that a number or a tag names.
 * @param tag hexadecimal number, or for example "finalized"
 * @returns `undefined` when the node does not have it, answers with a block of another number, or refuses the tag
 * @throws ChainError when the node does not answer
 */
export async function pointerIfKnown(client: RpcClient, tag: string): Promise<BlockPointer | undefined> {
  const method = "eth_getBlockByNumber";
  try {
    const answer = await client.request(method, [tag, false], { tells: () => true });
    if (answer === null) return undefined;
    const pointer = decodePointer(method, answer);
    return tag.startsWith("0x") && pointer.number !== Number(tag) ? undefined : pointer;
  } catch (error) {
    // Geth answers a tag that it has no block for as it answers an unknown block.
    if (error instanceof RpcError || error instanceof ReorgError) return undefined;
    throw error;
  }
}
