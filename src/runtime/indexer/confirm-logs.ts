import { Bloom } from "../chain/bloom.js";
import { type Block, type Chain, ChainError, type Log, type LogFilter, ReorgError } from "../chain/chain.js";

/** Below this number of transactions, all logs of a block are hardly more than those of one contract. */
const fewTransactions = 50;
const mostAttempts = 6;
const enoughAlike = 2;

/** Logs that were found for a block and are to be confirmed. */
export interface LogClaim {
  readonly filter: LogFilter;
  /** The logs that a query by block range returned for the block's number. */
  readonly found: readonly Log[];
  /** Whether the block is so new that a node of a pool may lack it and return no logs. */
  readonly isNew: boolean;
}

/**
 * Confirms the logs of a block that match a filter: a query by number may have returned those of another
 * block of that number, those of a node that lacks the block, or a truncated list. A block whose bloom filter
 * excludes the filter needs no query. Of a new or small block, all logs are fetched by its hash and checked
 * against the bloom filter: they must set all of its bits. Repeating a query is no proof, since two answers
 * have been seen to lack the same log. Of other blocks two identical answers suffice, since on a busy chain
 * one bloom filter in three has a false positive.
 * @throws ReorgError
 */
export async function confirmLogs(chain: Chain, block: Block, claim: LogClaim): Promise<readonly Log[]> {
  const { filter, found, isNew } = claim;
  const known = found.filter((log) => log.block.hash === block.hash && !log.removed);
  const bloom = bloomOf(block, known);
  if (bloom && known.length === 0 && !bloom.admits(filter)) return known;
  const isProved = bloom !== undefined && (isNew || block.transactions.size <= fewTransactions);
  if (!isProved) {
    const named = await chain.logsOf(block, filter);
    if (areAlike(known, named)) return named;
  }
  return bloom ? provenLogs(chain, block, bloom, claim) : repeatedLogs(chain, block, filter, known);
}

/**
 * `undefined` when the bloom filter is of no use: some chains leave it empty, or inconsistent with the logs.
 */
function bloomOf({ logsBloom }: Block, known: readonly Log[]): Bloom | undefined {
  const bloom = Bloom.parse(logsBloom);
  return bloom && known.every((log) => bloom.admitsLog(log)) ? bloom : undefined;
}

/** The matching logs, once all logs of the block account for its bloom filter. */
async function provenLogs(
  chain: Chain,
  block: Block,
  bloom: Bloom,
  { filter, found }: LogClaim,
): Promise<readonly Log[]> {
  let isUnexplained = false;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const all = await allLogs(chain, block);
    if (!all) return repeatedLogs(chain, block, filter, found);
    const own = all.filter(fitting(filter));
    const indexes = new Set(own.map(({ logIndex }) => logIndex));
    const lacksNone = found.every((log) => log.block.hash !== block.hash || indexes.has(log.logIndex));
    const isExplained = bloom.isWithin(Bloom.of(all));
    if (lacksNone && isExplained && all.every(({ logIndex }, index) => logIndex === index)) return own;
    isUnexplained ||= !(lacksNone && isExplained);
  }
  // Some chains number logs in a way of their own, so that the logs cannot be proven complete.
  if (!isUnexplained) return repeatedLogs(chain, block, filter, found);
  throw new ReorgError(`the logs of block ${block.number} are not those that its header tells of`);
}

/** `undefined` when the node refuses to return all logs at once. */
async function allLogs(chain: Chain, block: Block): Promise<readonly Log[] | undefined> {
  try {
    return await chain.logsOf(block);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** The result of two identical answers in a row, none before them having had more logs. */
async function repeatedLogs(
  chain: Chain,
  block: Block,
  filter: LogFilter,
  found: readonly Log[],
): Promise<readonly Log[]> {
  let best: readonly Log[] = found.filter((log) => log.block.hash === block.hash);
  for (let attempt = 1, alike = 0; attempt <= mostAttempts; attempt++) {
    const named = await chain.logsOf(block, filter);
    alike = areAlike(best, named) ? alike + 1 : 0;
    if (alike === enoughAlike) return named;
    if (named.length > best.length) [best, alike] = [named, 1];
  }
  throw new ReorgError(`the logs of block ${block.number} are different every time`);
}

/** Whether two lists hold the same logs of the same blocks. */
export function areAlike(one: readonly Log[], other: readonly Log[]): boolean {
  return (
    one.length === other.length &&
    one.every((log, index) => {
      const twin = other[index];
      return twin?.logIndex === log.logIndex && twin.block.hash === log.block.hash;
    })
  );
}

function fitting(filter: LogFilter): (log: Log) => boolean {
  const entries = filter.map(({ addresses, topics }) => ({
    addresses: addresses.length === 0 ? undefined : new Set(addresses),
    topics: new Set(topics),
  }));
  return ({ address, topics: [topic = ""] }) =>
    entries.some((entry) => entry.topics.has(topic) && (entry.addresses?.has(address) ?? true));
}
