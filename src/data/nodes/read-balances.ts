import { LRUCache } from "lru-cache";
import { ChainError } from "../../runtime/chain/chain.js";
import { nativeToken } from "../chains/native-token.js";
import { balanceOf, wordIn } from "./balance-of.js";
import type { DataNode } from "./data-node.js";

/** The wallet that a node is asked about, at a block. */
export interface BalanceQuestion {
  readonly chain: string;
  readonly wallet: string;
  readonly blockHash: string;
}

/** Balances from nodes, each asked for once. */
export interface NodeBalances {
  /** Whether a chain has a node. */
  has(chain: string): boolean;
  /**
   * Balances at one block, in the order of the tokens. The zero address stands for the native coin.
   * @returns `undefined` for a token whose contract tells none; `undefined` as a whole if no node answers
   */
  read(
    question: BalanceQuestion,
    tokens: readonly string[],
  ): Promise<readonly (bigint | undefined)[] | undefined>;
}

/** Balances that are kept, at most. Those of a block never change. */
const mostKept = 300_000;

/** Reads balances from the nodes of chains. */
export function createNodeBalances(nodes: ReadonlyMap<string, DataNode>): NodeBalances {
  /** Of a wallet at a block, by token. */
  const kept = new LRUCache<string, Map<string, bigint | undefined>>({
    maxSize: mostKept,
    sizeCalculation: ({ size }) => 1 + size,
  });

  function ask(
    node: DataNode,
    { wallet, blockHash }: BalanceQuestion,
    token: string,
  ): Promise<bigint | undefined> {
    return token === nativeToken
      ? node.balance(wallet, blockHash)
      : node.call(token, balanceOf(wallet), blockHash).then(wordIn);
  }

  return {
    has: (chain) => nodes.has(chain),
    async read(question, tokens) {
      const node = nodes.get(question.chain);
      if (!node) return undefined;
      const name = `${question.chain} ${question.blockHash} ${question.wallet}`;
      const known = kept.get(name);
      const missing = known ? tokens.filter((token) => !known.has(token)) : tokens;
      if (known && missing.length === 0) return tokens.map((token) => known.get(token));
      const found = new Map<string, bigint | undefined>();
      try {
        const asked = missing.map(async (token) => found.set(token, await ask(node, question, token)));
        await Promise.all(asked);
        return tokens.map((token) => (found.has(token) ? found.get(token) : known?.get(token)));
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return undefined;
      } finally {
        // Another request may have found some meanwhile.
        kept.set(name, new Map([...(kept.get(name) ?? []), ...found]));
      }
    },
  };
}
