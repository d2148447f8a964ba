import type { World } from "../base/world.js";
import { ChainError } from "../runtime/chain/chain.js";
import { createRpcClient } from "../runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../runtime/chain/rpc-chain.js";
import type { WrittenBlock } from "../runtime/store/store.js";
import type { Asker } from "./asker.js";
import type { Gateway } from "./gateway.js";
import { fetchOf } from "./gateway-fetch.js";

/** Milliseconds in which a request that failed is repeated, since a person waits. */
const patience = 1_000;
/** Milliseconds that a node which was reached may take for its answer. */
const timeout = 5_000;

/** No node answered a question for a block. The message has no final period. */
export class BlockUnread extends Error {
  override readonly name = "BlockUnread";
}

/**
 * A block of the chain as a network's nodes have it. Nodes that are known to be away are not asked.
 * @returns null if the chain has no block with this number, `undefined` if it has none yet
 * @throws BlockUnread
 */
export async function readBlock(
  gateway: Pick<Gateway, "answer" | "glance" | "name" | "trouble">,
  asker: Asker,
  world: World,
  number: number,
): Promise<WrittenBlock | null | undefined> {
  await gateway.glance(patience);
  const { kind, why = "" } = { ...gateway.trouble };
  if (kind === "away" || kind === "other-chain") throw new BlockUnread(why.replace(/\.$/, ""));
  const fetch = fetchOf((body, signal) => gateway.answer(asker, body, signal));
  const client = createRpcClient(gateway.name, { ...world, fetch }, { patience, timeout });
  const block = await createRpcChain(client)
    .block(number)
    .catch((error: unknown) => {
      throw error instanceof ChainError ? new BlockUnread(error.message, { cause: error }) : error;
    });
  if (!block) return block;
  const { hash, parentHash, timestamp } = block;
  return { number, hash, parentHash, timestamp };
}
