import { pointerIfKnown } from "../../runtime/chain/block-pointer.js";
import { ChainError } from "../../runtime/chain/chain.js";
import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";
import { quantityAnswer } from "../../runtime/chain/fields.js";
import { mayPass } from "../../runtime/chain/rpc/patient-chain.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";

/** How many requests to send before accepting that a node's answer is malformed. */
const mostAttempts = 5;

/**
 * Asks a node which chain it belongs to.
 * @param wanted the expected chain; a node of another chain is asked only for its id
 * @throws ChainError if it does not answer
 */
export async function askIdentity(client: RpcClient, wanted?: string): Promise<ChainIdentity> {
  const method = "eth_chainId";
  const chainId = await sensible(async () =>
    String(quantityAnswer(method, await client.request(method, []))),
  );
  if (wanted !== undefined && chainId !== wanted) return { chainId };
  const first = await sensible(
    async () => (await pointerIfKnown(client, "0x0")) ?? (await pointerIfKnown(client, "earliest")),
  );
  return { chainId, ...(first && { first }) };
}

/** Retries after an invalid answer: another node of a pool may give a valid one. */
async function sensible<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error)) throw error;
      if (attempt === mostAttempts) throw new ChainError(error.message, { cause: error });
    }
  }
}

/** Whether two identities may belong to the same chain. */
export function agree(one: ChainIdentity, other: ChainIdentity): boolean {
  if (one.chainId !== other.chainId) return false;
  return one.first?.number !== other.first?.number || one.first?.hash === other.first?.hash;
}

/** Answers the questions of a `ChainGuard` from an identity instead of a node. */
export function identityClient({ chainId, first }: ChainIdentity): RpcClient {
  return {
    request: async (method) => {
      if (method === "eth_chainId") return `0x${BigInt(chainId).toString(16)}`;
      return first ? { number: `0x${first.number.toString(16)}`, hash: first.hash } : null;
    },
  };
}
