import { Bloom } from "../chain/bloom.js";
import { type Block, type Chain, ChainError, type Log, type LogFilter, ReorgError } from "../chain/chain.js";

/** All logs of a block with so few transactions are hardly more than those of one contract. */
const fewTransactions = 50;
const mostAttempts = 6;
const enoughAlike = 2;

/** What is known of a block's logs. */
export interface LogClaim {
  readonly filter: LogFilter;
  /** What a query for a range of blocks gave for the number of the block. */
  readonly found: readonly Log[];
  /** Whether the block is so new that a node may not have it yet and find nothing in it. */
  readonly isNew: boolean;
}

/**
 * The logs of a block that fit a filter, tied to the block: what a query by number gave may be of another block of
 * that number, of a node that has no block there yet, or cut short. A block whose header has none of the addresses and
 * topics costs nothing. Of a new block, and of a small one, all logs are asked for by the block's hash, since only these
 * can be held against the header: they have to set every bit of its bloom filter. Two answers to the same question can
 * lack the same log, and have done so. Of others two answers alike are enough, as one header in three of a busy chain
 * has an address or a topic by chance.
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

/** Nothing where the header says nothing: some chains leave it empty, or tell of logs that it does not have. */
function bloomOf({ logsBloom }: Block, known: readonly Log[]): Bloom | undefined {
  const bloom = Bloom.parse(logsBloom);
  return bloom && known.every((log) => bloom.admitsLog(log)) ? bloom : undefined;
}

/** The logs among all those of the block, once these are all that its header tells of. */
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
  // There are chains that number logs in a way of their own.
  if (!isUnexplained) return repeatedLogs(chain, block, filter, found);
  throw new ReorgError(`the logs of block ${block.number} are not those that its header tells of`);
}

/** Nothing when the node does not give as many logs at once. */
async function allLogs(chain: Chain, block: Block): Promise<readonly Log[] | undefined> {
  try {
    return await chain.logsOf(block);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** What two answers in a row say, of which none before had more. */
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

/** Whether two lists are of the same logs, of the same blocks. */
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
