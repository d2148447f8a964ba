import { LRUCache } from "lru-cache";
import { ChainError } from "../../runtime/chain/chain.js";
import { nativeToken } from "../chains/native-token.js";
import { balanceOf, wordIn } from "./balance-of.js";
import { balancesCode, balancesIn, batchGas, batchSize } from "./batched-balances.js";
import type { DataNode } from "./data-node.js";

/** A wallet and a block, for a node. */
export interface BalanceQuestion {
  readonly chain: string;
  readonly wallet: string;
  readonly blockHash: string;
  /** The project that asks, if projects share the nodes. */
  readonly project?: string | undefined;
}

/** The nodes of chains. */
export interface DataNodes {
  has(chain: string): boolean;
  get(chain: string, project?: string): DataNode | undefined;
}

/** Balances from nodes, each requested once. */
export interface NodeBalances {
  has(chain: string): boolean;
  /**
   * Balances at one block, in the order of the tokens. The zero address stands for the native coin.
   * @returns `undefined` for a token whose contract returns none; `undefined` as a whole if no node answers
   */
  read(
    question: BalanceQuestion,
    tokens: readonly string[],
  ): Promise<readonly (bigint | undefined)[] | undefined>;
}

/** The most balances to cache. The balances of a block never change. */
const mostKept = 300_000;

/** The fewest tokens to query together. */
const fewest = 10;

/** Reads balances from the nodes of chains. */
export function createNodeBalances(nodes: DataNodes): NodeBalances {
  /** Balances of a wallet at a block, by token. */
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

  /** Reads balances with one call for many tokens, if the node and the tokens allow it. */
  async function askTogether(
    node: DataNode,
    { wallet, blockHash }: BalanceQuestion,
    tokens: readonly string[],
  ): Promise<ReadonlyMap<string, bigint>> {
    const batches = Array.from({ length: Math.ceil(tokens.length / batchSize) }, (_, index) =>
      tokens.slice(index * batchSize, (index + 1) * batchSize),
    );
    const answers = await Promise.all(
      batches.map(async (some) => {
        const answer = await node.create(balancesCode(wallet, some), batchGas, blockHash);
        return balancesIn(answer, some.length)?.map(
          (balance, index) => [some[index] ?? "", balance] as const,
        );
      }),
    );
    const found = answers.flatMap((answer) => answer ?? []);
    return new Map(
      found.flatMap(([token, balance]) => (balance === undefined ? [] : [[token, balance] as const])),
    );
  }

  return {
    has: (chain) => nodes.has(chain),
    async read(question, tokens) {
      const node = nodes.get(question.chain, question.project);
      if (!node) return undefined;
      const name = `${question.chain} ${question.blockHash} ${question.wallet}`;
      const known = kept.get(name);
      const missing = known ? tokens.filter((token) => !known.has(token)) : tokens;
      if (known && missing.length === 0) return tokens.map((token) => known.get(token));
      const found = new Map<string, bigint | undefined>();
      try {
        if (missing.length >= fewest) {
          const contracts = missing.filter((token) => token !== nativeToken);
          for (const [token, balance] of await askTogether(node, question, contracts))
            found.set(token, balance);
        }
        // Tokens without an answer may need more gas, and some nodes do not run code that makes no contract.
        const others = missing.filter((token) => !found.has(token));
        await Promise.all(others.map(async (token) => found.set(token, await ask(node, question, token))));
        return tokens.map((token) => (found.has(token) ? found.get(token) : known?.get(token)));
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return undefined;
      } finally {
        // Another request may have added balances meanwhile.
        kept.set(name, new Map([...(kept.get(name) ?? []), ...found]));
      }
    },
  };
}
