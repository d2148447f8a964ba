import type { RpcClient } from "../runtime/chain/rpc/rpc-client.js";
import { RpcError } from "../runtime/chain/rpc-errors.js";

/** The kind that a contract declares, unless it is a proxy. */
export type Nature =
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

/**
 * Asks a contract that is not a proxy what kind of contract it is.
 * @param address lower-case hex
 * @returns `undefined` if it is of no known kind
 * @throws ChainError if the node does not answer
 */
export async function findNature(client: RpcClient, address: string): Promise<Nature | undefined> {
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
