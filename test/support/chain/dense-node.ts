import type { RpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";

/** What the blocks of a node contain. */
export interface DenseNodeOptions {
  /** Logs of a block, in one transaction; may be none. */
  logsOf(block: number): number;
  /** Bytes of the data of each log. */
  readonly dataBytes: number;
  /** The hash of the parent that a block names, when it is not the block before. */
  parentOf?(block: number): string | undefined;
}

/** A node whose blocks have as many and as long logs as a test wants, and which counts what it has sent. */
export interface DenseNode extends RpcClient {
  /** Bytes of data of all logs sent so far, as characters of hex. */
  readonly told: number;
}

const zeroBloom = `0x${"00".repeat(256)}`;
const address = `0x${"a1".repeat(20)}`;

/** The hash of a block; -1 is the parent of the first. */
export function hashOf(block: number): string {
  return `0x${(block + 1).toString(16).padStart(64, "0")}`;
}

export function denseNode({ logsOf, dataBytes, parentOf }: DenseNodeOptions): DenseNode {
  const data = `0x${"cd".repeat(dataBytes)}`;
  let told = 0;
  const inBlock = (block: number): Record<string, string> => ({
    blockNumber: quantity(block),
    blockHash: hashOf(block),
    transactionHash: hashOf(block).replace("0x0", "0xf"),
    transactionIndex: "0x0",
  });
  const blockOf = (number: number): object => ({
    number: quantity(number),
    hash: hashOf(number),
    parentHash: parentOf?.(number) ?? hashOf(number - 1),
    sha3Uncles: hashOf(0),
    miner: address,
    stateRoot: hashOf(0),
    transactionsRoot: hashOf(0),
    receiptsRoot: hashOf(0),
    gasUsed: "0x0",
    gasLimit: "0x0",
    timestamp: quantity(1_700_000_000 + number),
    difficulty: "0x0",
    totalDifficulty: "0x0",
    size: "0x0",
    baseFeePerGas: "0x0",
    logsBloom: zeroBloom,
    transactions: logsOf(number) === 0 ? [] : [transactionOf(number)],
  });
  const transactionOf = (number: number): object => ({
    ...inBlock(number),
    hash: inBlock(number).transactionHash,
    from: address,
    to: address,
    value: "0x0",
    gas: "0x0",
    gasPrice: "0x0",
    input: "0x",
    nonce: "0x0",
  });
  const receiptOf = (number: number): object => {
    const logs = Array.from({ length: logsOf(number) }, (_, index) => ({
      ...inBlock(number),
      address,
      topics: [hashOf(1)],
      data,
      logIndex: quantity(index),
    }));
    told += logs.length * data.length;
    return {
      ...inBlock(number),
      cumulativeGasUsed: "0x0",
      gasUsed: "0x0",
      contractAddress: null,
      logs,
      status: "0x1",
      logsBloom: zeroBloom,
    };
  };
  return {
    get told() {
      return told;
    },
    request: async (method, [which]) => {
      if (method === "eth_getBlockByNumber") return blockOf(Number(which));
      // It has no logs beside those of its receipts.
      if (method === "eth_getLogs") return [];
      if (method !== "eth_getBlockReceipts") throw new Error(`${method} was not to be asked`);
      const number = Number(which) - 1;
      return logsOf(number) === 0 ? [] : [receiptOf(number)];
    },
  };
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}
