import { ChainError, ReorgError } from "../runtime/chain/chain.js";
import type { RpcClient } from "../runtime/chain/rpc/rpc-client.js";

/** A node's answer to the question in which block a contract was created. */
export type Creation =
  | { readonly kind: "found"; readonly block: number }
  /** The node has no state for older blocks; in block `latest` the contract already existed. */
  | { readonly kind: "unknown"; readonly latest: number; readonly why: string };

/**
 * Finds the block in which a contract was created by binary search, in about 25 requests. For a contract that
 * was destroyed and recreated, finds one of the creations.
 * @param address address of a contract that has code in block `head`
 * @param onStep called before every request with the number of candidate blocks
 */
export async function findCreation(
  client: RpcClient,
  address: string,
  head: number,
  onStep: (left: number) => void = () => undefined,
): Promise<Creation> {
  // Block `without` has no code (-1 is before the first block), and block `having` has code.
  let [without, having] = [-1, head];
  while (having - without > 1) {
    onStep(having - without);
    // Asks for the first block first: a node that has its state has all states, and many contracts on local
    // chains are in it.
    const middle = without === -1 && having === head ? 0 : Math.floor((without + having) / 2);
    try {
      if (await hasCode(client, address, middle)) having = middle;
      else without = middle;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A node that has pruned old states may still have newer ones.
      const newer = await oldestAnswered(client, address, middle, having, onStep);
      if (newer.without === undefined) return { kind: "unknown", latest: newer.having, why: error.message };
      [without, having] = [newer.without, newer.having];
    }
  }
  return { kind: "found", block: having };
}

/**
 * Continues the search after a refusal: looks for the oldest block that the node answers for.
 * @returns the remaining bounds of the search; no `without` if the code exists in every block that the node
 * answered for
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

/** For a pruned block, nodes report the same error as for a block that never existed. */
function isRefusal(error: unknown): error is Error {
  return error instanceof ChainError || error instanceof ReorgError;
}

/** Whether an address has code in a block. */
export async function hasCode(client: RpcClient, address: string, block: number): Promise<boolean> {
  // Does not retry when the node refuses an old block, for any reason: there is another way.
  const code = await client.request("eth_getCode", [address, `0x${block.toString(16)}`], {
    tells: () => true,
    strain: 1,
  });
  if (typeof code !== "string" || !/^0x[0-9a-f]*$/i.test(code))
    throw new ChainError("eth_getCode: the node sent an invalid response");
  return code !== "0x";
}
