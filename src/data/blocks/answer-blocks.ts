import { answerOf, type DataAnswer } from "../answers/data-answer.js";
import { type Given, readParameters } from "../answers/parameters.js";
import { Refusal } from "../answers/refusal.js";
import type { DataChain } from "../chains/data-chain.js";
import type { KnownBlock } from "../chains/known-block.js";
import { adoptFilters, type Filters } from "../cursors/adopt-filters.js";
import type { Sealer } from "../cursors/sealer.js";
import type { BlockPage, DataReads, DataStore } from "../reads/data-reads.js";
import { blockConflicts, blockParameters, largestLimit, usualLimit } from "./block-parameters.js";

/** The dependencies of answers about blocks. */
export interface BlocksWorld {
  readonly store: DataStore;
  readonly sealer: Sealer;
}

/** A walk over pages of blocks, as stored in its cursor. */
interface BlocksWalk {
  readonly of: "blocks";
  readonly chain: string;
  /** Includes the sort. */
  readonly filters: Filters;
  /** The newest block when the walk began. */
  readonly pinned: Pick<KnownBlock, "number" | "hash">;
  /** The last block of the previous page. */
  readonly after: number;
}

/** Answers `GET /blocks/{chain}`. @throws Refusal */
export function answerBlocks(
  chain: DataChain,
  query: URLSearchParams,
  { store, sealer }: BlocksWorld,
): Promise<DataAnswer> {
  const given = readParameters(blockParameters, query);
  const { cursor, limit: wanted = usualLimit } = given;
  const limit = Math.min(wanted, largestLimit);
  const walk = cursor === undefined ? undefined : openWalk(cursor, chain, sealer);
  const own = filtersIn(given);
  const filters = walk ? adoptFilters(walk.filters, own) : { sort: "number_desc", ...own };
  checkConflicts(filters);
  const range = { ...rangeOf(filters, walk), limit };
  return store.readOnce(chain.name, async (reads) => {
    const found = await reads.blocks({
      ...range,
      chain: chain.name,
      shownAs: chain.blocksSlug,
      pinned: walk?.pinned.number,
    });
    if (!found) throw noData(chain);
    const { standing, items, numbers, hasMore } = found;
    // Blocks that no reorganisation replaces are the same on every branch.
    if (walk && found.pinned?.hash !== walk.pinned.hash && range.to > standing.final)
      throw replaced(walk.pinned, chain);
    const pinned = found.pinned ?? standing.head;
    const next: BlocksWalk | undefined =
      hasMore && numbers
        ? {
            of: "blocks",
            chain: chain.name,
            filters,
            pinned: { number: pinned.number, hash: pinned.hash },
            after: range.isAscending ? numbers.highest : numbers.lowest,
          }
        : undefined;
    const cursor = JSON.stringify(next ? sealer.seal(next) : null);
    // A page that is cached for long must not lead to a walk that a reorganisation ended. Descending walks never do.
    const isLasting = !next || !range.isAscending || pinned.number <= standing.final;
    const isKept = isLasting && isFinal(found, range, standing.final);
    return answerOf(
      `{"data":[${items}],"limit":${limit},"next_cursor":${cursor}}`,
      [{ chain, block: pinned }],
      isKept ? "final" : "head",
    );
  });
}

/** Answers `GET /blocks/{chain}/head`. @param now milliseconds since 1970 @throws Refusal */
export function answerHead(chain: DataChain, now: number, { store }: BlocksWorld): Promise<DataAnswer> {
  return store.readOnce(chain.name, async (reads) => {
    const standing = await reads.standing(chain.name);
    if (!standing) throw noData(chain);
    const { head } = standing;
    const { number, timestamp } = head;
    const lag = Math.max(0, Math.floor(now / 1000) - timestamp);
    const body = { chain: chain.blocksSlug, number, timestamp, head_lag_seconds: lag };
    return answerOf(body, [{ chain, block: head }], "head");
  });
}

/** The refusal for a chain whose tables are missing or empty. */
function noData(chain: DataChain): Refusal {
  return new Refusal("NO_DATA", `There is no data of ${chain.blocksSlug} yet.`, {
    chains: [chain.feedsSlug],
  });
}

/** @throws Refusal if the block of a walk was replaced */
export async function checkPinned(
  { number, hash }: Pick<KnownBlock, "number" | "hash">,
  chain: DataChain,
  reads: DataReads,
): Promise<KnownBlock> {
  const block = await reads.block(chain.name, number);
  if (block?.hash === hash) return block;
  throw replaced({ number }, chain);
}

/** The refusal for a walk whose block was replaced. */
export function replaced({ number }: Pick<KnownBlock, "number">, chain: DataChain): Refusal {
  return new Refusal(
    "REORGANISED",
    `Block ${number} of ${chain.blocksSlug}, at which this walk began, was replaced by a reorganisation. Start again without the cursor.`,
    { chains: [chain.feedsSlug] },
  );
}

function openWalk(cursor: string, chain: DataChain, sealer: Sealer): BlocksWalk {
  const walk = sealer.open(cursor) as BlocksWalk | undefined;
  if (walk?.of !== "blocks")
    throw new Refusal("INVALID_CURSOR", "The cursor is not the next_cursor of a page of blocks.");
  if (walk.chain !== chain.name)
    throw new Refusal("INVALID_CURSOR", "The cursor is of another chain. Start again without it.");
  return walk;
}

function filtersIn({ cursor: _, limit: __, ...filters }: Given<typeof blockParameters>): Filters {
  return { ...filters, ...(filters.hash !== undefined && { hash: filters.hash.toLowerCase() }) };
}

/** @throws Refusal */
function checkConflicts(filters: Filters): void {
  const [one, other] =
    blockConflicts.find((names) => names.every((name) => filters[name] !== undefined)) ?? [];
  if (one !== undefined)
    throw new Refusal(
      "CONFLICTING_FILTERS",
      `${one} and ${other} exclude each other. Leave one of them out.`,
    );
}

/** The blocks that a page may show. */
function rangeOf(
  filters: Filters,
  walk: BlocksWalk | undefined,
): {
  readonly hash?: string | undefined;
  readonly from?: number | undefined;
  readonly to: number;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly isAscending: boolean;
} {
  const { number, hash, number_gte, number_lte, timestamp_gte, timestamp_lte, sort } = filters as Given<
    typeof blockParameters
  >;
  const isAscending = sort === "number_asc";
  const lowest = number ?? number_gte;
  // All pages belong to the block at which the walk began; for the first page, that is the newest block.
  const highest = Math.min(
    number ?? number_lte ?? Number.MAX_SAFE_INTEGER,
    walk?.pinned.number ?? Number.MAX_SAFE_INTEGER,
  );
  return {
    hash,
    since: timestamp_gte,
    until: timestamp_lte,
    isAscending,
    from: walk && isAscending ? walk.after + 1 : lowest,
    to: walk && !isAscending ? walk.after - 1 : highest,
  };
}

/** Whether reorganisations and new blocks leave a page unchanged. @param final the last block that stays unchanged */
function isFinal(
  { numbers, count }: Pick<BlockPage, "numbers" | "count">,
  {
    to,
    until,
    isAscending,
    hash,
    limit,
  }: {
    readonly to: number;
    readonly until?: number | undefined;
    readonly hash?: string | undefined;
    readonly isAscending: boolean;
    readonly limit: number;
  },
  final: number,
): boolean {
  if (to <= final) return true;
  if (!numbers || numbers.highest > final) return false;
  // New blocks have later times than the last block that stays unchanged.
  return (
    hash !== undefined || (until !== undefined && numbers.highest < final) || (isAscending && count === limit)
  );
}
