import { findChain } from "../compiler/validate/chains/find-chain.js";
import { ChainError, ReorgError } from "../runtime/chain/chain.js";
import type { RpcClient } from "../runtime/chain/rpc-client.js";
import { type Creation, findCreation } from "./find-creation.js";
import { codeAt, findImplementation, type ProxyTarget } from "./find-implementation.js";

/** What a node knows of an address. */
export type ContractLook =
  | { readonly kind: "contract"; readonly proxy: ProxyTarget | undefined; readonly creation: Creation }
  /** There is no code. */
  | { readonly kind: "empty" }
  /** The node does not answer. */
  | { readonly kind: "failed"; readonly why: string };

/** The chain that a node is of. */
export interface NodeChain {
  /** In decimal digits. */
  readonly chainId: string;
  /** graph-node's name; `undefined` for a chain that is not in the registry. */
  readonly network: string | undefined;
}

/**
 * Asks a node which chain it is of.
 * @throws ChainError when it does not answer
 */
export async function askChain(client: RpcClient): Promise<NodeChain> {
  const answer = await client.request("eth_chainId", []);
  if (typeof answer !== "string" || !/^0x[0-9a-f]{1,12}$/i.test(answer))
    throw new ChainError("eth_chainId: the node answered nonsense");
  const chainId = String(Number(answer));
  return { chainId, network: findChain(chainId) };
}

/**
 * Asks a node what is at an address: whether there is a contract, what it is a proxy of, and since when it is there.
 * @param address lower-case hex
 * @param since whether to look for the block of its creation; otherwise it is unknown
 * @param onStep called while that is looked for, with the number of blocks in question
 */
export async function lookUpContract(
  client: RpcClient,
  address: string,
  since: boolean,
  onStep?: (left: number) => void,
): Promise<ContractLook> {
  try {
    const code = await codeAt(client, address);
    if (code === "0x") return { kind: "empty" };
    const proxy = await findImplementation(client, address, code);
    const head = Number(await client.request("eth_blockNumber", []));
    if (!Number.isInteger(head) || head < 0)
      return { kind: "failed", why: "eth_blockNumber: the node answered nonsense" };
    const creation: Creation = since
      ? await findCreation(client, address, head, onStep)
      : { kind: "unknown", latest: head, why: "it was not asked" };
    return { kind: "contract", proxy, creation };
  } catch (error) {
    if (error instanceof ChainError || error instanceof ReorgError)
      return { kind: "failed", why: error.message };
    throw error;
  }
}
