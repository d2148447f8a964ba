import { createHash } from "node:crypto";
import type { RecordedBlock, Recording } from "../../../src/runtime/recording/recording.js";

/** The token of made chains. */
export const madeToken = `0x${"a1".repeat(20)}`;

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const zeroHash = `0x${"0".repeat(64)}`;

/**
 * Makes a chain whose blocks have as many transfers of a token as wanted, each in a transaction of its own. The token
 * answers `balanceOf` with 1.
 * @param blocks number of blocks, from block 0
 * @param transfersIn the number of transfers in a block
 */
export function makeRecording(blocks: number, transfersIn: (block: number) => number): Recording {
  return {
    network: "mainnet",
    chainId: 1,
    history: blocks,
    interval: 1_000_000_000,
    block: {
      sha3Uncles: zeroHash,
      miner: `0x${"0".repeat(40)}`,
      stateRoot: zeroHash,
      transactionsRoot: zeroHash,
      receiptsRoot: zeroHash,
      difficulty: "0x0",
      totalDifficulty: "0x0",
      extraData: "0x",
      size: "0x200",
      gasLimit: "0x1c9c380",
      mixHash: zeroHash,
      nonce: "0x0000000000000000",
      baseFeePerGas: "0x7",
      uncles: [],
    },
    transaction: { type: "0x0", gas: "0x5208", gasPrice: "0x7", value: "0x0", v: "0x1b", r: "0x1", s: "0x1" },
    receipt: { type: "0x0", status: "0x1", gasUsed: "0x5208", contractAddress: null },
    contracts: {
      [madeToken]: { code: "0x60", since: 0, functions: { "0x70a08231": word(1) } },
    },
    blocks: Array.from({ length: blocks }, (_, number) => blockOf(number, transfersIn(number))),
  };
}

function blockOf(number: number, transfers: number): RecordedBlock {
  return {
    hash: hashOf(`block ${number}`),
    fields: {
      number: `0x${number.toString(16)}`,
      timestamp: `0x${(1_600_000_000 + number * 12).toString(16)}`,
      ...(number === 0 && { parentHash: zeroHash }),
    },
    transactions: Array.from({ length: transfers }, (_, index) => {
      const name = `${number} ${index}`;
      const from = hashOf(`from ${name}`).slice(0, 42);
      // A few holders receive again and again.
      const to = hashOf(`to ${(number * 31 + index) % 500}`).slice(0, 42);
      return {
        hash: hashOf(`transaction ${name}`),
        fields: {
          from,
          to: madeToken,
          nonce: "0x1",
          input: `0xa9059cbb${topicOf(to).slice(2)}${word(number).slice(2)}`,
        },
        receipt: {},
        logs: [
          {
            address: madeToken,
            topics: [transferTopic, topicOf(from), topicOf(to)],
            data: word(number),
          },
        ],
      };
    }),
  };
}

function hashOf(text: string): string {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}

function topicOf(address: string): string {
  return `0x${address.slice(2).padStart(64, "0")}`;
}

function word(number: number): string {
  return `0x${number.toString(16).padStart(64, "0")}`;
}
