import { overlayOn } from "../../datasets/archive/overlay-files.js";
import { logFilterOf } from "../../runtime/indexer/active-sources.js";
import {
  type CountingPlace,
  cutsOf,
  type Part,
  placesToCount,
  sideOf,
} from "../../runtime/indexer/density.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { openReader } from "../reader/open-reader.js";
import type { ChainToRun, RunEnvironment } from "./index-chain.js";

/** The range and filter for counting logs. */
export interface CountedRange {
  /** The first block even of sources that start later. */
  readonly fromBlock?: number | undefined;
  readonly verify: VerifyMode;
  /** Seconds. */
  readonly patience: number;
}

/** A chain whose logs can be counted. */
export interface LogCounting {
  readonly range: BlockRange;
  /** The chain head. */
  readonly head: number;
  /** The last block for which the archive has logs; negative if there is none. */
  readonly reach: number;
  /** Counts the logs that the configuration's own sources listen to. @throws ChainError */
  count(place: CountingPlace): Promise<Part>;
  /** Shows how far it is. */
  show(text: string): void;
  readonly signal: AbortSignal;
}

/** Blocks of a range in which logs are counted: as many as a run asks for at once. */
const countedBlocks = 2_000;
/** Ranges in which logs are counted at the same time. */
const atOnce = 4;

/**
 * Opens a chain to count its logs, in the archive or else with the node. The archive stays unchanged.
 * @throws ChainError when the node does not answer
 */
export async function openCounting(
  { chain, built, url }: ChainToRun,
  range: BlockRange,
  head: number,
  { patience, fromBlock = Number.POSITIVE_INFINITY, verify }: CountedRange,
  { archive, display, signal }: Pick<RunEnvironment, "archive" | "display" | "signal">,
): Promise<LogCounting> {
  const reader = await openReader(
    { network: built.network, url, archive: archive && overlayOn(archive) },
    range.to,
    { patience: patience * 1000, signal },
    // The samples report the same.
    { onDamage: () => undefined, onTrouble: () => undefined, onRefused: () => undefined },
  );
  return {
    range,
    head,
    reach: reader.archived?.reach ?? -1,
    signal,
    show: (text) => display.wait(chain, text),
    count: async ({ part, counted }) => {
      const { from, to } = counted;
      const sources = built.dataSources.filter(
        ({ startBlock, endBlock = Number.POSITIVE_INFINITY }) =>
          Math.min(startBlock, fromBlock) <= to && endBlock >= from,
      );
      const filter = logFilterOf(sources.map((source) => ({ template: source, address: source.address })));
      if (filter.length === 0) return { ...part, counted, logs: [], side: sideOf(part.from, head, false) };
      const known = await reader.archived?.knownLogs(counted, filter, verify);
      const logs = known ?? (await reader.chain.logs(from, to, filter));
      const blocks = logs.map(({ block }) => block.number).sort((one, other) => one - other);
      return { ...part, counted, logs: blocks, side: sideOf(part.from, head, known !== undefined) };
    },
  };
}

/**
 * Counts the logs of a range: all of them, or those of some ranges in it.
 * @param most number of ranges in which to count
 * @throws ChainError when the node does not answer
 */
export async function countIn(counting: LogCounting, most: number): Promise<readonly Part[]> {
  const places = placesToCount(counting.range, cutsOf(counting), most, countedBlocks);
  const parts: Part[] = [];
  for (let next = 0; next < places.length && !counting.signal.aborted; next += atOnce) {
    counting.show(`counting logs, range ${next + 1} of ${places.length}`);
    const some = places.slice(next, next + atOnce);
    parts.push(...(await Promise.all(some.map((place) => counting.count(place)))));
  }
  return parts;
}
