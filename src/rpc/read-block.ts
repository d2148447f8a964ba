import type { World } from "../base/world.js";
import { ChainError } from "../runtime/chain/chain.js";
import { createRpcClient } from "../runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../runtime/chain/rpc-chain.js";
import type { WrittenBlock } from "../runtime/store/store.js";
import type { Asker } from "./asker.js";
import type { Gateway } from "./gateway.js";
import { fetchOf } from "./gateway-fetch.js";

/** Milliseconds that the nodes may take, since a person waits. */
const patience = 10_000;

/** No node answered a question for a block. */
export class BlockUnread extends Error {
  override readonly name = "BlockUnread";
}

/**
 * A block of the chain as a network's nodes have it.
 * @returns null if the chain has no block with this number, `undefined` if it has none yet
 * @throws BlockUnread
 */
export async function readBlock(
  gateway: Gateway,
  asker: Asker,
  world: World,
  number: number,
): Promise<WrittenBlock | null | undefined> {
  const fetch = fetchOf((body, signal) => gateway.answer(asker, body, signal));
  const client = createRpcClient(gateway.name, { ...world, fetch }, { patience, timeout: patience });
  const block = await createRpcChain(client)
    .block(number)
    .catch((error: unknown) => {
      throw error instanceof ChainError ? new BlockUnread(error.message, { cause: error }) : error;
    });
  if (!block) return block;
  const { hash, parentHash, timestamp } = block;
  return { number, hash, parentHash, timestamp };
}
