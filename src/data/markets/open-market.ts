import { Refusal } from "../answers/refusal.js";
import type { Market } from "./market.js";
import type { MarketBlock, MarketReads, MarketState } from "./market-reads.js";

/** Seconds after which a subgraph that is behind may have advanced. */
const indexingTime = 30;

/** The blocks that a page covers. */
export interface WantedBlocks {
  /** The walk of the page; absent for the first page. */
  readonly walk:
    | { readonly pinned: MarketBlock; readonly seen: Pick<MarketBlock, "number" | "hash"> }
    | undefined;
  /** The block whose entities are requested, if it is not the walk's. */
  readonly at: number | undefined;
  /** The last block that the page may show, unless it shows the newest one. */
  readonly upTo: number | undefined;
}

/** A market that can answer a page. */
export interface OpenMarket {
  /** The newest block. */
  readonly head: MarketBlock;
  /** The block of the walk. */
  readonly pinned: MarketBlock;
  /** The block whose entities are read. */
  readonly at: number;
}

/**
 * Finds the block of a page.
 * @throws Refusal if the market has no exact answer for the page
 */
export async function openMarket(
  market: Market,
  reads: MarketReads,
  { walk, at: asked, upTo }: WantedBlocks,
): Promise<OpenMarket> {
  const chains = [market.chain.feedsSlug];
  const state = await reads.state();
  if (!state)
    throw new Refusal("NO_DATA", `Subgraph ${market.subgraph}, which keeps the market, was removed.`, {
      chains,
    });
  const head = headOf(market, state, upTo);
  if (walk) await checkWalk(market, reads, walk, head);
  const pinned = walk?.pinned ?? head;
  const last = Math.min(upTo ?? pinned.number, pinned.number);
  const { firstErrorBlock, keptFrom } = state;
  if (firstErrorBlock !== undefined && firstErrorBlock <= last)
    throw new Refusal(
      "UNAVAILABLE",
      `A handler of subgraph ${market.subgraph} failed at block ${firstErrorBlock}, so what follows is not complete. Correct the subgraph, and deploy it again.`,
      { chains },
    );
  const at = Math.min(asked ?? pinned.number, pinned.number);
  if (keptFrom !== undefined && at < keptFrom)
    throw new Refusal(
      "PRUNED",
      `Subgraph ${market.subgraph} keeps entities only from block ${keptFrom} on, so block ${at} cannot be read.${walk && asked === undefined ? " Start again without the cursor." : ""}`,
      { chains },
    );
  return { head, pinned, at };
}

/** The newest block. @throws Refusal if there is none, or if it must not be shown as the newest */
function headOf(
  market: Market,
  { head, failure, isSynced }: MarketState,
  upTo: number | undefined,
): MarketBlock {
  const chains = [market.chain.feedsSlug];
  if (failure === "failed")
    throw new Refusal(
      "UNAVAILABLE",
      `Subgraph ${market.subgraph} has failed${head ? `, and stopped at block ${head.number}` : ""}. Correct it, and deploy it again.`,
      { chains },
    );
  const wait = { chains, retryAfter: indexingTime };
  if (!head)
    throw new Refusal("UNAVAILABLE", `Subgraph ${market.subgraph} has no blocks yet. Try again later.`, wait);
  if (!isSynced && (upTo === undefined || upTo > head.number))
    throw new Refusal(
      "UNAVAILABLE",
      `Subgraph ${market.subgraph} has not caught up with ${market.chain.feedsSlug} yet: it is at block ${head.number}. Try again later.`,
      wait,
    );
  return head;
}

/** @throws Refusal if the block of a walk was replaced, or may have been */
async function checkWalk(
  { chain }: Market,
  reads: MarketReads,
  { pinned, seen }: NonNullable<WantedBlocks["walk"]>,
  head: MarketBlock,
): Promise<void> {
  // If a block still exists, so do all blocks before it.
  for (const { number, hash } of [seen, pinned]) if ((await reads.hashOf(number)) === hash) return;
  const oldest = (await reads.oldestHash()) ?? 0;
  const again = "Start again without the cursor.";
  if (pinned.number > head.number || pinned.number >= oldest)
    throw new Refusal(
      "REORGANISED",
      `Block ${pinned.number} of ${chain.feedsSlug}, at which this walk began, was replaced by a reorganisation. ${again}`,
      { chains: [chain.feedsSlug] },
    );
  throw new Refusal(
    "PRUNED",
    `The hash of block ${pinned.number} of ${chain.feedsSlug}, at which this walk began, is no longer kept, so nothing proves that the block was not replaced. ${again}`,
    { chains: [chain.feedsSlug] },
  );
}
