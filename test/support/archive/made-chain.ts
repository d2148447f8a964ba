import { keccak256, toUtf8Bytes } from "ethers";
import type { ArchiveFiles } from "../../../src/datasets/archive/archive-files.js";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import type { Block, Log, LogFilter } from "../../../src/runtime/chain/chain.js";
import { Bloom } from "../../../src/runtime/chain/proof/bloom.js";

/** A hash that is made of a text. */
export const hashOf = (text: string): string => keccak256(toUtf8Bytes(text));

export const topic = hashOf("Transfer");
export const address = `0x${"a1".repeat(20)}`;
export const otherAddress = `0x${"b2".repeat(20)}`;
/** All logs with the topic of one address. */
export const filter: LogFilter = [{ addresses: [address], topics: [topic] }];

/** A log that a block of a made chain has; every third block has one. */
export function madeLog(number: number, changes: Partial<Log> = {}): Log {
  return {
    address,
    topics: [topic],
    data: "0x",
    block: { number, hash: hashOf(`block ${number}`) },
    transactionHash: hashOf(`transaction ${number}`),
    transactionIndex: 0,
    logIndex: 0,
    removed: false,
    ...changes,
  };
}

/** The logs of a range of a made chain. */
export function madeLogs(from: number, to: number): readonly Log[] {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return numbers.filter((number) => number % 3 === 0).map((number) => madeLog(number));
}

/** A block of a made chain, without transactions. */
export function madeBlock(number: number, changes: Partial<Block> = {}): Block {
  const hash = hashOf(`block ${number}`);
  return {
    number,
    hash,
    parentHash: hashOf(`block ${number - 1}`),
    unclesHash: hash,
    author: address,
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    gasUsed: 0n,
    gasLimit: 30_000_000n,
    timestamp: BigInt(number),
    difficulty: 0n,
    totalDifficulty: 0n,
    size: null,
    baseFeePerGas: null,
    transactions: new Map(),
    logsBloom: Bloom.of(madeLogs(number, number)).hex,
    ...changes,
  };
}

/** What is put into an archive at once. */
export interface Put {
  readonly blocks?: readonly Block[];
  readonly logs?: readonly Log[];
  readonly claim?: { readonly from: number; readonly to: number; readonly filter?: LogFilter };
  /** Further logs for the same file. */
  readonly more?: readonly Pick<Put, "logs" | "claim">[];
  /** Blocks, each with an answer. */
  readonly answers?: readonly {
    readonly number: number;
    readonly hash?: string;
    readonly answer?: string;
    readonly question?: string;
  }[];
}

/** Opens the archive of chain 1, again for each write, as separate processes do. */
export async function put(files: ArchiveFiles, ...all: readonly Put[]): Promise<void> {
  const open = (): Promise<ChainArchive> => ChainArchive.open({ files, folder: "1", chainId: "1" });
  const end = { number: 1_000, hash: hashOf("block 1000") };
  if (!(await open()).marks) {
    await files.append("networks.jsonl", '{"network":"mainnet","folder":"1","chainId":"1"}\n');
    await (await open()).mark({ head: end, final: end });
  }
  for (const { blocks = [], logs, claim, more = [], answers = [] } of all) {
    const archive = await open();
    for (const block of blocks) await archive.addBlock(block);
    for (const part of [{ logs, claim }, ...more])
      if (part.claim)
        await archive.addLogs(part.claim, part.claim.filter ?? filter, "bloom", part.logs ?? []);
    for (const { number, hash = hashOf(`block ${number}`), answer = '"0x01"', question } of answers)
      await archive.addAnswer({
        block: number,
        hash,
        question: question ?? `read ${hash} ${address} 0x`,
        answer,
      });
    await archive.flush();
  }
}

/** Blocks of a range of a made chain. */
export function madeBlocks(from: number, to: number): readonly Block[] {
  return Array.from({ length: to - from + 1 }, (_, index) => madeBlock(from + index));
}
