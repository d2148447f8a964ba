import { ArchivedChain } from "../../../src/datasets/archive/archived-chain.js";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import { transferTopics } from "../../../src/datasets/rows/transfer-rows.js";
import { openArchiveFiles } from "../../../src/machine/files/archive-files.js";
import type { PlannedSource } from "../../../src/pipelines/plan/pipeline-plan.js";
import { DatasetSource } from "../../../src/pipelines/sources/dataset-source.js";
import type { Block, BlockPointer, Chain, Log, LogFilter } from "../../../src/runtime/chain/chain.js";
import { Patience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import { fitting } from "../../../src/runtime/indexer/logs/log-lists.js";
import { Verification } from "../../../src/runtime/indexer/logs/verification.js";
import { hashOf, madeBlock, type Put, put } from "../archive/made-chain.js";

/** Contracts whose logs there are. */
export const tokens = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`, `0x${"0c".repeat(20)}`];

/** A chain of blocks with transfers, and with logs that look like them. */
export interface TransferChain {
  readonly last: number;
  readonly logs: readonly Log[];
  /** Blocks that a node was asked for logs of. */
  readonly asked: Set<number>;
}

const word = (value: bigint): string => value.toString(16).padStart(64, "0");

/** Makes a chain. @param last its last block */
export function transferChain(random: () => number, last: number): TransferChain {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const bits = (most: number): bigint => {
    let value = 0n;
    for (let bit = Math.floor(random() * (most + 1)); bit > 0; bit -= 1)
      value = value * 2n + BigInt(random() < 0.7 ? 1 : 0);
    return value;
  };
  const logs: Log[] = [];
  for (let number = 0; number <= last; number += 1)
    for (let index = Math.floor(random() * 5); index > 0; index -= 1) {
      const account = (): string => `0x${word(bits(random() < 0.1 ? 256 : 160))}`;
      const event = random() < 0.85 ? transferTopics.transfer : pick([hashOf("other"), undefined]);
      const topics = event === undefined ? [] : [event, account(), account(), account()];
      const size = random() < 0.85 ? 32 : pick([0, 31, 33, 64]);
      logs.push({
        address: pick(tokens),
        topics: topics.slice(0, random() < 0.75 ? 3 : pick([1, 2, 4])),
        data: size === 32 ? `0x${word(bits(256))}` : `0x${"ff".repeat(size)}`,
        block: { number, hash: hashOf(`block ${number}`) },
        transactionHash: hashOf(`transaction ${number}`),
        transactionIndex: 3,
        // Indexes have gaps, since other logs are between them.
        logIndex: 3 * (logs.at(-1)?.block.number === number ? (logs.at(-1)?.logIndex ?? 0) : 0) + index,
        removed: false,
      });
    }
  logs.sort((one, other) => one.block.number - other.block.number || one.logIndex - other.logIndex);
  const distinct = logs.filter(
    (log, index) =>
      log.block.number !== logs[index - 1]?.block.number || log.logIndex !== logs[index - 1]?.logIndex,
  );
  return { last, logs: distinct, asked: new Set() };
}

/** What an archive has of the chain: all logs that match a filter, and the blocks that have some. */
export function transferPart(chain: TransferChain, from: number, to: number, filter: LogFilter): Put {
  const logs = chain.logs.filter(
    (log) => log.block.number >= from && log.block.number <= to && fitting(filter)(log),
  );
  const numbers = [...new Set(logs.map(({ block }) => block.number))];
  return { logs, blocks: numbers.map((number) => madeBlock(number)), claim: { from, to, filter } };
}

/** The same of several ranges, in files of their own that overlap those between them. */
export function transferParts(
  chain: TransferChain,
  ranges: readonly (readonly [from: number, to: number])[],
  filter: LogFilter,
): Put {
  const [first, ...more] = ranges.map(([from, to]) => transferPart(chain, from, to, filter));
  return { ...first, blocks: [first, ...more].flatMap((part) => part?.blocks ?? []), more };
}

/** How a source of the chain is opened. */
export interface TransferOptions {
  readonly chain: TransferChain;
  /** The archive's folder. */
  readonly folder: string;
  /** The newest final block. */
  readonly final: number;
  /** Whether rows may stay in the files of the archive. */
  readonly mayStay: boolean;
}

/** Puts parts into an archive, each into files of its own. */
export async function archiveParts(folder: string, parts: readonly Put[]): Promise<void> {
  await put(openArchiveFiles(folder), ...parts);
}

/** Opens a dataset of the chain, up to its last block. */
export async function transferSource(
  { definition, schema, addresses }: PlannedSource,
  { chain, folder, final, mayStay }: TransferOptions,
): Promise<DatasetSource> {
  const archive = await ChainArchive.open({
    files: openArchiveFiles(folder),
    folder: "1",
    chainId: "1",
  });
  const finalOf = async (): Promise<BlockPointer> => madeBlock(final);
  const archived = new ArchivedChain(nodeOf(chain), archive, { finalOf });
  const patience = new Patience({ limit: 0, pause: async () => undefined, chance: () => 0.5 });
  const kind = (definition.settings as { dataset_name?: { value: string } }).dataset_name?.value ?? "";
  return new DatasetSource({
    source: {
      chain: createPatientChain(archived, patience),
      verification: new Verification("off"),
      archive: archived,
    },
    kind: kind.replace(/^.*\./, "") as "erc20_transfers",
    columns: schema.columns,
    addresses,
    startAt: "earliest",
    last: chain.last,
    finalOnly: false,
    finalOf,
    ...(mayStay && { storedLogs: (question) => archived.storedLogs(question) }),
    waitForBlocks: async () => false,
    patience,
  });
}

/** A node of the chain, which answers what datasets of logs ask. */
function nodeOf({ last, logs, asked }: TransferChain): Chain {
  const block = (number: number): Block | undefined => (number <= last ? madeBlock(number) : undefined);
  const never = async (): Promise<never> => {
    throw new Error("this is not asked for");
  };
  return {
    head: async () => madeBlock(last),
    block: async (number) => block(number),
    blocks: async (numbers) => numbers.map(block),
    logs: async (from, to, filter) => {
      for (let number = from; number <= to; number += 1) asked.add(number);
      const fits = fitting(filter);
      return logs.filter((log) => log.block.number >= from && log.block.number <= to && fits(log));
    },
    logsOf: async ({ hash }, filter) =>
      logs.filter((log) => log.block.hash === hash && (!filter || fitting(filter)(log))),
    calls: never,
    receipt: never,
    read: never,
    balance: never,
    code: never,
  };
}
