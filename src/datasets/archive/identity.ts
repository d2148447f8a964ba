import { pointerIfKnown } from "../../runtime/chain/block-pointer.js";
import { type ChainIdentity, StrangeChainError } from "../../runtime/chain/chain-guard.js";
import { quantityAnswer } from "../../runtime/chain/fields.js";
import type { RpcClient } from "../../runtime/chain/rpc-client.js";

/** Asks a node which chain it is of. @throws ChainError when it does not answer */
export async function askIdentity(client: RpcClient): Promise<ChainIdentity> {
  const method = "eth_chainId";
  const chainId = String(quantityAnswer(method, await client.request(method, [])));
  const first = (await pointerIfKnown(client, "0x0")) ?? (await pointerIfKnown(client, "earliest"));
  return { chainId, ...(first && { first }) };
}

/** Whether two identities may be of one chain. */
export function agree(one: ChainIdentity, other: ChainIdentity): boolean {
  if (one.chainId !== other.chainId) return false;
  return one.first?.number !== other.first?.number || one.first?.hash === other.first?.hash;
}

/**
 * A client that checks, before its first request, that the node is of the chain that the archive is of. As long as the
 * archive has all that is asked for, the node is not asked even that.
 */
export function checkedClient(client: RpcClient, identity: ChainIdentity): RpcClient {
  let checked: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    const found = await askIdentity(client);
    if (!agree(identity, found)) throw new StrangeChainError(strangeText(identity, found));
  };
  return {
    request: async (method, parameters, options) => {
      checked ??= check();
      try {
        await checked;
      } catch (error) {
        // A node that was away may be back; one of another chain stays so.
        if (!(error instanceof StrangeChainError)) checked = undefined;
        throw error;
      }
      return client.request(method, parameters, options);
    },
  };
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

function strangeText(known: ChainIdentity, found: ChainIdentity): string {
  if (known.chainId !== found.chainId)
    return `This node serves chain ${found.chainId}, but the archive of this network holds chain ${known.chainId}. The archive was not changed. Use a node of chain ${known.chainId}, or a different --archive.`;
  return `This node's chain has the id ${found.chainId}, but its first block differs from the archived one, as after the restart of a local chain. The archive was not changed. Use a different --archive, or remove the old chain with graphloom archive prune --chain ${found.chainId} --all.`;
}
