import { usualDepth } from "../../chains/finality.js";
import { pointerIfKnown } from "./block-pointer.js";
import type { BlockPointer } from "./chain.js";
import type { RpcClient } from "./rpc-client.js";

/**
 * The newest block that no reorganisation replaces: the one that the node calls final, or one far behind the head.
 * @returns `undefined` for a chain that is too short to have one
 * @throws ChainError when the node does not answer
 */
export async function finalBlock(client: RpcClient, head: BlockPointer): Promise<BlockPointer | undefined> {
  return (
    (await pointerIfKnown(client, "finalized")) ??
    (head.number > usualDepth
      ? await pointerIfKnown(client, `0x${(head.number - usualDepth).toString(16)}`)
      : undefined)
  );
}
