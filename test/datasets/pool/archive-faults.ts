import { keptChains } from "../../../src/datasets/archive/kept-chains.js";
import { readSegment } from "../../../src/datasets/archive/segments/segments.js";
import { verifyChain } from "../../../src/datasets/archive/verify/verify-chain.js";
import type { MemoryArchiveFiles } from "../../support/archive/memory-files.js";
import type { PoolTruth } from "./pool-truth.js";

/**
 * What an archive has that is not on the chain, and what it claims to have and lacks.
 * @param borne what a verification may find: receipts that were kept without a proof may differ from the header
 */
export async function archiveFaults(
  files: MemoryArchiveFiles,
  { blocks }: Pick<PoolTruth, "blocks">,
  borne: readonly RegExp[] = [],
): Promise<readonly string[]> {
  const found: string[] = [];
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  for (const chain of (await keptChains(files)) ?? []) {
    for (const { file, why } of (await verifyChain(files, chain)).faults)
      if (!borne.some((words) => words.test(why))) found.push(`${file}: ${why}`);
    for (const segment of chain.manifest.segments) {
      const content = await readSegment(files, chain.folder, chain.chainId, segment);
      if (content.kind === "blocks")
        for (const { number, hash } of content.blocks)
          if (hashes.get(number) !== hash) found.push(`block ${number} is of another branch`);
      if (content.kind === "answers")
        for (const { block, hash } of content.answers)
          if (hashes.get(block) !== hash) found.push(`an answer is of another branch at block ${block}`);
      if (content.kind !== "logs") continue;
      const kept = new Set(
        content.logs.map(({ transactionHash, logIndex }) => `${transactionHash} ${logIndex}`),
      );
      const all = new Map(
        blocks.flatMap(({ logs }) =>
          logs.map((log) => [`${log.transactionHash} ${Number(log.logIndex)}`, log]),
        ),
      );
      for (const key of kept) if (!all.has(key)) found.push(`the log ${key} is not on the chain`);
      for (const { from, to, address, topics, proof } of content.claims) {
        if (proof !== "receipts") continue;
        for (const [key, log] of all) {
          const number = Number(log.blockNumber);
          const isClaimed =
            number >= from &&
            number <= to &&
            (address ?? log.address) === log.address &&
            (topics?.includes(log.topics[0] ?? "") ?? true);
          if (isClaimed && !kept.has(key)) found.push(`the log ${key} is claimed and missing`);
        }
      }
    }
  }
  return found;
}
