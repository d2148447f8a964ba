import { keccak256 } from "ethers/crypto";
import { toBeHex } from "ethers/utils";
import type { Block, Log, Receipt, Transaction } from "../../runtime/chain/chain.js";
import type { GivenBlock } from "../../runtime/run-blocks.js";
import { encodeEvent } from "./encode-signature.js";
import { type JsonTest, JsonTestError, type MockedBlock } from "./json-test.js";
import { readAddress, readHash } from "./read-value.js";

const largestNumber = 2n ** 31n - 1n;
const largestTimestamp = 2n ** 63n - 1n;
const zeroHash = `0x${"0".repeat(64)}`;
const zeroAddress = `0x${"0".repeat(40)}`;
const emptyUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";
const emptyTrie = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const emptyBloom = `0x${"0".repeat(512)}`;

/** The blocks of a test, and the receipts of their transactions by block, then by hash. */
export interface PlayedBlocks {
  readonly blocks: readonly GivenBlock[];
  readonly receipts: ReadonlyMap<string, ReadonlyMap<string, Receipt>>;
}

/**
 * Makes the blocks of a test with gnd's defaults for absent values.
 * @param start the number of the first block
 * @throws JsonTestError
 */
export function playBlocks(test: Pick<JsonTest, "blocks">, start: number): PlayedBlocks {
  const blocks: GivenBlock[] = [];
  const receipts = new Map<string, ReadonlyMap<string, Receipt>>();
  let next = BigInt(start);
  let parentHash = zeroHash;
  for (const mocked of test.blocks) {
    const number = mocked.number ?? next;
    if (number > largestNumber) throw new JsonTestError(`Block ${number} is beyond ${largestNumber}.`);
    const previous = blocks.at(-1)?.block.number ?? -1;
    if (number <= previous) {
      throw new JsonTestError(`Block ${number} comes after block ${previous}. Numbers of blocks must rise.`);
    }
    const played = playBlock(mocked, Number(number), parentHash);
    blocks.push(played.given);
    receipts.set(played.given.block.hash, played.receipts);
    parentHash = played.given.block.hash;
    next = number + 1n;
  }
  return { blocks, receipts };
}

/** The hash of a block if the test states none: its number in eight bytes, hashed. */
export function hashOfNumber(number: number): string {
  return keccak256(toBeHex(number, 8));
}

function playBlock(
  mocked: MockedBlock,
  number: number,
  parentHash: string,
): { readonly given: GivenBlock; readonly receipts: ReadonlyMap<string, Receipt> } {
  const hash =
    mocked.hash === undefined ? hashOfNumber(number) : readHash(mocked.hash, `The hash of block ${number}`);
  const logs = mocked.events.map((event, index): Log => {
    const { topics, data } = encodeEvent(event);
    const transactionHash =
      event.txHash === undefined
        ? keccak256(`${toBeHex(number, 8)}${toBeHex(index, 8).slice(2)}`)
        : readHash(event.txHash, `txHash of ${event.event}`);
    return {
      address: readAddress(event.address, `The address of ${event.event}`),
      topics,
      data,
      block: { number, hash },
      transactionHash,
      transactionIndex: 0,
      logIndex: index,
      removed: false,
    };
  });
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
  return {
    given: { block: blockOf(mocked, { number, hash, parentHash }, hashes), logs },
    receipts: new Map(hashes.map((one, index) => [one, receiptOf(one, index, { number, hash }, logs)])),
  };
}

function blockOf(
  { timestamp, baseFeePerGas }: MockedBlock,
  { number, ...hashes }: Pick<Block, "number" | "hash" | "parentHash">,
  transactions: readonly string[],
): Block {
  if (baseFeePerGas !== undefined && !/^\d{1,78}$/.test(baseFeePerGas)) {
    throw new JsonTestError(`baseFeePerGas of block ${number} must be a whole number of wei.`);
  }
  if (timestamp !== undefined && timestamp > largestTimestamp) {
    throw new JsonTestError(`The timestamp of block ${number} must be at most ${largestTimestamp}.`);
  }
  return {
    number,
    ...hashes,
    timestamp: timestamp ?? BigInt(number),
    author: zeroAddress,
    unclesHash: emptyUncles,
    stateRoot: emptyTrie,
    transactionsRoot: emptyTrie,
    receiptsRoot: emptyTrie,
    gasUsed: 0n,
    gasLimit: 0n,
    difficulty: 0n,
    totalDifficulty: 0n,
    size: null,
    baseFeePerGas: baseFeePerGas === undefined ? null : BigInt(baseFeePerGas),
    transactions: new Map(transactions.map((hash, index) => [hash, transactionOf(hash, index)])),
  };
}

function transactionOf(hash: string, index: number): Transaction {
  const nothing = { value: 0n, gasLimit: 0n, gasPrice: 0n, input: "0x", nonce: 0n };
  return { hash, index, from: zeroAddress, to: null, ...nothing };
}

function receiptOf(
  transactionHash: string,
  transactionIndex: number,
  block: Receipt["block"],
  logs: readonly Log[],
): Receipt {
  return {
    transactionHash,
    transactionIndex,
    block,
    logs: logs.filter((log) => log.transactionHash === transactionHash),
    type: 2,
    from: zeroAddress,
    to: null,
    status: 1n,
    root: null,
    contractAddress: null,
    cumulativeGasUsed: 21_000n,
    gasUsed: 21_000n,
    effectiveGasPrice: 0n,
    logsBloom: emptyBloom,
  };
}
