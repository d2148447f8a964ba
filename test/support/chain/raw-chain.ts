/** JSON as nodes send it, for tests that need a made-up chain. */

/** A hash, or any 32 bytes, that contains a number. */
export function hash(number: number, prefix = ""): string {
  return `0x${(prefix + number.toString(16)).padStart(64, "0")}`;
}

export function address(number: number): string {
  return `0x${number.toString(16).padStart(40, "a")}`;
}

export const quantity = (number: number | bigint): string => `0x${number.toString(16)}`;

/** A block whose hash contains its number. */
export function rawBlock(
  number: number,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    number: quantity(number),
    hash: hash(number),
    parentHash: hash(number - 1),
    sha3Uncles: hash(1),
    miner: address(1),
    stateRoot: hash(2),
    transactionsRoot: hash(3),
    receiptsRoot: hash(4),
    gasUsed: quantity(21_000),
    gasLimit: quantity(30_000_000),
    timestamp: quantity(1_700_000_000 + number),
    difficulty: "0x0",
    size: quantity(500),
    baseFeePerGas: quantity(7),
    transactions: [],
    ...changes,
  };
}

/** A transaction whose hash contains its index. */
export function rawTransaction(
  index: number,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    hash: hash(index, "f"),
    transactionIndex: quantity(index),
    from: address(2),
    to: address(3),
    value: "0x0",
    gas: quantity(21_000),
    gasPrice: quantity(9),
    input: "0x",
    nonce: "0x5",
    ...changes,
  };
}

/** The n-th log of a block. */
export function rawLog(
  block: number,
  index: number,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    address: address(1),
    topics: [hash(1)],
    data: "0x",
    blockNumber: quantity(block),
    blockHash: hash(block),
    transactionHash: hash(0, "f"),
    transactionIndex: "0x0",
    logIndex: quantity(index),
    removed: false,
    ...changes,
  };
}
