import { LRUCache } from "lru-cache";
import { ChainError } from "../../runtime/chain/chain.js";
import { nativeToken } from "../chains/native-token.js";
import { balanceOf, wordIn } from "./balance-of.js";
import type { DataNode } from "./data-node.js";

/** A balance that a node is asked for. */
export interface BalanceQuestion {
  readonly chain: string;
  readonly wallet: string;
  /** The zero address for the native coin. */
  readonly token: string;
  readonly blockHash: string;
}

/** Balances from nodes, each asked for once. */
export interface NodeBalances {
  /** Whether a chain has a node. */
  has(chain: string): boolean;
  /**
   * Balances at one block, in the order of the tokens.
   * @returns `undefined` for a token whose contract tells none; `undefined` as a whole if no node answers
   */
  read(
    question: Omit<BalanceQuestion, "token">,
    tokens: readonly string[],
  ): Promise<readonly (bigint | undefined)[] | undefined>;
}

/** Balances that are kept, at most. Those of a block never change. */
const mostKept = 100_000;

/** Reads balances from the nodes of chains. */
export function createNodeBalances(nodes: ReadonlyMap<string, DataNode>): NodeBalances {
  const kept = new LRUCache<string, { readonly balance: bigint | undefined }>({ max: mostKept });

  async function balance(
    node: DataNode,
    { chain, wallet, token, blockHash }: BalanceQuestion,
  ): Promise<bigint | undefined> {
    const name = `${chain} ${blockHash} ${wallet} ${token}`;
    const known = kept.get(name);
    if (known) return known.balance;
    const found =
      token === nativeToken
        ? await node.balance(wallet, blockHash)
        : wordIn(await node.call(token, balanceOf(wallet), blockHash));
    kept.set(name, { balance: found });
    return found;
  }

  return {
    has: (chain) => nodes.has(chain),
    async read(question, tokens) {
      const node = nodes.get(question.chain);
      if (!node) return undefined;
      try {
        return await Promise.all(tokens.map((token) => balance(node, { ...question, token })));
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return undefined;
      }
    },
  };
}
