import { findChain } from "../chains/find-chain.js";
import { ChainError, ReorgError } from "../runtime/chain/chain.js";
import type { RpcClient } from "../runtime/chain/rpc/rpc-client.js";
import { RpcError } from "../runtime/chain/rpc-errors.js";
import { type Creation, findCreation, hasCode } from "./find-creation.js";
import { codeAt, findImplementation, type ProxyTarget } from "./find-implementation.js";

/** The kind that a contract declares, unless it is a proxy. */
type Nature =
  /** Designed to run behind a proxy: UUPS, EIP-1822. */
  | { readonly kind: "implementation" }
  /** ERC-2535 diamond: its code is in other contracts. */
  | { readonly kind: "diamond"; readonly facets: number };

const proxiableSelector = "0x52d1902d";

const facetsSelector = "0x7a0ed627";

/** Slots that `proxiableUUID()` may return: that of EIP-1967, and keccak256("PROXIABLE"). */
const proxiableSlots =
  /^0x(?:360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc|c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7)$/i;

/** Maximum number of facets that a diamond can credibly have. */
const mostFacets = 1_000;

/** A node's facts about an address. */
export type ContractLook =
  | {
      readonly kind: "contract";
      readonly proxy: ProxyTarget | undefined;
      /** The kind of contract, if it is not a proxy. */
      readonly nature: Nature | undefined;
    }
  /** The address has no code. */
  | { readonly kind: "empty" }
  | NoLook;

/** The chain that a node serves. */
export interface NodeChain {
  /** In decimal digits. */
  readonly chainId: string;
  /** graph-node's name; `undefined` if the chain is not in the registry. */
  readonly network: string | undefined;
}

/**
 * Asks a node which chain it serves.
 * @throws ChainError if it does not answer
 */
export async function askChain(client: RpcClient): Promise<NodeChain> {
  const answer = await client.request("eth_chainId", []);
  if (typeof answer !== "string" || !/^0x[0-9a-f]{1,12}$/i.test(answer))
    throw new ChainError("eth_chainId: the node sent an invalid response");
  const chainId = String(Number(answer));
  return { chainId, network: findChain(chainId) };
}

/** The node did not answer. */
export interface NoLook {
  readonly kind: "failed";
  readonly why: string;
}

/**
 * Asks a node whether there is a contract at an address, and what it is a proxy for.
 * @param address lower-case hex
 */
export function lookUpContract(client: RpcClient, address: string): Promise<ContractLook> {
  return answered(async () => {
    const code = await codeAt(client, address);
    if (code === "0x") return { kind: "empty" };
    const proxy = await findImplementation(client, address, code);
    return { kind: "contract", proxy, nature: proxy ? undefined : await findNature(client, address) };
  });
}

/**
 * Asks a node since which block a contract exists.
 * @param address lower-case hex, of a contract that exists now
 * @param onStep called during the search for its creation, with the number of candidate blocks
 */
export function lookUpCreation(
  client: RpcClient,
  address: string,
  onStep?: (left: number) => void,
): Promise<Creation | NoLook> {
  return answered(async () => {
    const head = Number(await client.request("eth_blockNumber", []));
    if (!Number.isInteger(head) || head < 0)
      return { kind: "failed", why: "eth_blockNumber: the node sent an invalid response" };
    return findCreation(client, address, head, onStep);
  });
}

/**
 * Asks a node which of some addresses are proxies that lead to a contract.
 * @param addresses lower-case hex
 * @param target lower-case hex
 */
export function lookUpProxies(
  client: RpcClient,
  addresses: readonly string[],
  target: string,
): Promise<{ readonly kind: "asked"; readonly proxies: readonly string[] } | NoLook> {
  return answered(async () => {
    const leads = await Promise.all(
      addresses.map(async (address) => {
        const proxy = await findImplementation(client, address, await codeAt(client, address));
        return proxy?.implementation === target ? [address] : [];
      }),
    );
    return { kind: "asked", proxies: leads.flat() };
  });
}

/**
 * Asks whether there was a contract at an address in a block, even if it has since destroyed itself. A node
 * may no longer know.
 */
export function lookUpPast(
  client: RpcClient,
  address: string,
  block: number,
): Promise<{ readonly kind: "asked"; readonly wasThere: boolean } | NoLook> {
  return answered(async () => ({ kind: "asked", wasThere: await hasCode(client, address, block) }));
}

/** How a block relates to the creation of a contract. */
export type BlockLook =
  /** The contract was created in it. */
  | { readonly kind: "exact" }
  /** The contract does not exist in it. */
  | { readonly kind: "early" }
  /** The contract already existed in the block before. */
  | { readonly kind: "late" }
  | NoLook;

/** Asks a node whether a contract was created in a block. */
export function lookUpBlock(client: RpcClient, address: string, block: number): Promise<BlockLook> {
  return answered(async () => {
    const head = Number(await client.request("eth_blockNumber", []));
    // Nodes report blocks that they do not have yet like blocks whose state they have removed.
    if (block > head) return { kind: (await hasCode(client, address, head)) ? "late" : "early" };
    if (block > 0 && (await hasCode(client, address, block - 1))) return { kind: "late" };
    return { kind: (await hasCode(client, address, block)) ? "exact" : "early" };
  });
}

async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer | NoLook> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ChainError || error instanceof ReorgError)
      return { kind: "failed", why: error.message };
    throw error;
  }
}

/**
 * Asks a contract that is not a proxy what kind of contract it is.
 * @param address lower-case hex
 * @returns `undefined` if it is of no known kind
 * @throws ChainError if the node does not answer
 */
async function findNature(client: RpcClient, address: string): Promise<Nature | undefined> {
  const [slot, facets] = await Promise.all(
    [proxiableSelector, facetsSelector].map((data) => call(client, address, data)),
  );
  if (proxiableSlots.test(slot ?? "")) return { kind: "implementation" };
  const count = listLength(facets ?? "");
  return count === undefined ? undefined : { kind: "diamond", facets: count };
}

async function call(client: RpcClient, to: string, data: string): Promise<string | undefined> {
  try {
    const answer = await client.request("eth_call", [{ to, data }, "latest"], {
      tells: () => true,
      strain: 1,
    });
    return typeof answer === "string" ? answer : undefined;
  } catch (error) {
    // Most contracts have no such function, and each fails in its own way.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** The length of the one list in a response, which must contain its entries. */
function listLength(answer: string): number | undefined {
  const [, digits] = /^0x0{62}20(?:0{56})([0-9a-f]{8})/i.exec(answer) ?? [];
  const count = Number.parseInt(digits ?? "0", 16);
  return count > 0 && count <= mostFacets && answer.length >= 2 + 64 * (2 + 4 * count) ? count : undefined;
}
