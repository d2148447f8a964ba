import { ChainError, ReorgError } from "../runtime/chain/chain.js";
import type { RpcClient } from "../runtime/chain/rpc-client.js";

/** What a node tells of the block in which a contract was created. */
export type Creation =
  | { readonly kind: "found"; readonly block: number }
  /** The node does not answer for older blocks; in `latest` the contract was there already. */
  | { readonly kind: "unknown"; readonly latest: number; readonly why: string };

/**
 * Finds the block in which a contract was created, by halving the blocks in question: about 25 requests.
 * Of a contract that was destroyed and created again, it is one of the creations.
 * @param address of a contract that has code in block `head`
 * @param onStep called before every request with the number of blocks in question
 */
export async function findCreation(
  client: RpcClient,
  address: string,
  head: number,
  onStep: (left: number) => void = () => undefined,
): Promise<Creation> {
  // There is no code in block `without` (-1 is before the first), and there is some in block `having`.
  let [without, having] = [-1, head];
  while (having - without > 1) {
    onStep(having - without);
    // The first block is asked for first: a node that has its state has all, and many contracts of local chains are in it.
    const middle = without === -1 && having === head ? 0 : Math.floor((without + having) / 2);
    try {
      if (await hasCode(client, address, middle)) having = middle;
      else without = middle;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A node that has thrown away what is old may still have what is newer.
      const newer = await oldestAnswered(client, address, middle, having, onStep);
      if (newer.without === undefined) return { kind: "unknown", latest: newer.having, why: error.message };
      [without, having] = [newer.without, newer.having];
    }
  }
  return { kind: "found", block: having };
}

/**
 * Goes on where older blocks are refused: towards the newest one, until one is answered for.
 * @returns the blocks next to each other in question; without `without` when every block that was answered for has
 * the code
 */
async function oldestAnswered(
  client: RpcClient,
  address: string,
  refused: number,
  head: number,
  onStep: (left: number) => void,
): Promise<{ readonly without?: number; readonly having: number }> {
  let [unanswered, having] = [refused, head];
  while (having - unanswered > 1) {
    onStep(having - unanswered);
    const middle = Math.floor((unanswered + having) / 2);
    try {
      if (!(await hasCode(client, address, middle))) return { without: middle, having };
      having = middle;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      unanswered = middle;
    }
  }
  return { having };
}

/** Nodes say of a block that they have thrown away what they say of one that never was, too. */
function isRefusal(error: unknown): error is Error {
  return error instanceof ChainError || error instanceof ReorgError;
}

/** Whether there is code at an address in a block. */
export async function hasCode(client: RpcClient, address: string, block: number): Promise<boolean> {
  // Whatever it refuses an old block for, it is not asked again: there is another way.
  const code = await client.request("eth_getCode", [address, `0x${block.toString(16)}`], {
    tells: () => true,
    strain: 1,
  });
  if (typeof code !== "string" || !/^0x[0-9a-f]*$/i.test(code))
    throw new ChainError("eth_getCode: the node answered nonsense");
  return code !== "0x";
}
