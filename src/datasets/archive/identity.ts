import { pointerIfKnown } from "../../runtime/chain/block-pointer.js";
import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";
import { quantityAnswer } from "../../runtime/chain/fields.js";
import type { RpcClient } from "../../runtime/chain/rpc-client.js";

/**
 * Asks a node which chain it is of.
 * @param wanted the chain that it should be of; a node of another one is asked for its id only
 * @throws ChainError when it does not answer
 */
export async function askIdentity(client: RpcClient, wanted?: string): Promise<ChainIdentity> {
  const method = "eth_chainId";
  const chainId = String(quantityAnswer(method, await client.request(method, [])));
  if (wanted !== undefined && chainId !== wanted) return { chainId };
  const first = (await pointerIfKnown(client, "0x0")) ?? (await pointerIfKnown(client, "earliest"));
  return { chainId, ...(first && { first }) };
}

/** Whether two identities may be of one chain. */
export function agree(one: ChainIdentity, other: ChainIdentity): boolean {
  if (one.chainId !== other.chainId) return false;
  return one.first?.number !== other.first?.number || one.first?.hash === other.first?.hash;
}

/** Answers from an identity what a `ChainGuard` asks a node for. */
export function identityClient({ chainId, first }: ChainIdentity): RpcClient {
  return {
    request: async (method) => {
      if (method === "eth_chainId") return `0x${BigInt(chainId).toString(16)}`;
      return first ? { number: `0x${first.number.toString(16)}`, hash: first.hash } : null;
    },
  };
}
