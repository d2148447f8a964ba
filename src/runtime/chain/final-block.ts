import { finalityOfId } from "../../chains/look-up-chain.js";
import { pointerIfKnown } from "./block-pointer.js";
import type { BlockPointer } from "./chain.js";
import type { RpcClient } from "./rpc/rpc-client.js";

/** Why no block of a node counts as final, with a remedy for the user. */
export const tagRefused =
  'the node does not say which block is final: it has none for the block tag "finalized", which nodes of this chain know. Use another node';

/**
 * The newest block that no reorganisation replaces. If nodes of the chain report a final block, the node's answer is
 * used; otherwise, a block far behind the head. If it is unknown whether they report one, the lower of the two is
 * used.
 * @param chainId decimal digits
 * @param onRefused called when the node does not report a final block although nodes of the chain do; then no block
 * counts as final
 * @returns `undefined` when there is none, also on a chain that is too short, and when the node's answers contradict
 * each other
 * @throws ChainError when the node does not answer
 */
export async function finalBlock(
  client: RpcClient,
  head: BlockPointer,
  chainId: string,
  onRefused?: (why: string) => void,
): Promise<BlockPointer | undefined> {
  const { by, depth } = finalityOfId(chainId);
  const named = by === "depth" ? undefined : await pointerIfKnown(client, "finalized");
  if (by === "tag") {
    if (!named) onRefused?.(tagRefused);
    if (!named || named.number <= head.number) return named;
    // Nodes of a pool differ in their heads. Then the head is final if the chain has both blocks.
    return (await isThere(client, named)) && (await isThere(client, head)) ? head : undefined;
  }
  const behind = head.number - depth;
  if (behind < 0) return undefined;
  if (named && named.number <= behind) return named;
  return pointerIfKnown(client, `0x${behind.toString(16)}`);
}

async function isThere(client: RpcClient, { number, hash }: BlockPointer): Promise<boolean> {
  return (await pointerIfKnown(client, `0x${number.toString(16)}`))?.hash === hash;
}
