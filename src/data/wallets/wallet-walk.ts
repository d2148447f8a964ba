import { type Given, type Parameters, readParameters } from "../answers/parameters.js";
import { Refusal } from "../answers/refusal.js";
import { checkPinned, replaced } from "../blocks/answer-blocks.js";
import type { KnownBlock } from "../chains/known-block.js";
import { adoptFilters, type Filters } from "../cursors/adopt-filters.js";
import type { Sealer } from "../cursors/sealer.js";
import type { Category, DataReads } from "../reads/data-reads.js";
import { largestPage, usualPage } from "./wallet-parameters.js";
import { notFilled, type WalletChain } from "./wallet-question.js";

/** A walk over the pages of a feed, as stored in its tokens. */
export interface WalletWalk {
  readonly of: "balances" | "transfers";
  readonly filters: Filters;
  /** The block of each chain, shared by all pages. */
  readonly pinned: Readonly<Record<string, Pick<KnownBlock, "number" | "hash">>>;
  /** Whether the page precedes the walk's place. */
  readonly back: boolean;
}

/** The page that a request asks for. */
export interface WantedPage<Walk extends WalletWalk> {
  /** `undefined` for the first page. */
  readonly walk: Walk | undefined;
  readonly filters: Filters;
  /** Most rows. */
  readonly size: number;
}

/** A chain at the block of a page. */
export interface PinnedChain extends WalletChain {
  readonly block: KnownBlock;
}

/**
 * Reads which page of a feed is requested.
 * @throws Refusal
 */
export function wantedPage<Walk extends WalletWalk>(
  of: Walk["of"],
  parameters: Parameters,
  query: URLSearchParams,
  sealer: Sealer,
): WantedPage<Walk> {
  const walk = walkIn<Walk>(of, query, sealer);
  const { address } = parameters;
  // A page that is not the first one may leave the wallet out.
  const accepted =
    walk && address ? { ...parameters, address: { ...address, required: undefined as never } } : parameters;
  const { page_token: _, page_size: wanted = usualPage, ...own } = readParameters(accepted, query);
  const asked = filtersOf(own);
  return {
    walk,
    filters: walk ? adoptFilters(walk.filters, asked) : asked,
    size: Math.min(Number(wanted), largestPage),
  };
}

function walkIn<Walk extends WalletWalk>(
  of: Walk["of"],
  query: URLSearchParams,
  sealer: Sealer,
): Walk | undefined {
  const token = query.get("page_token");
  if (token === null || token === "") return undefined;
  const walk = sealer.open(token) as Walk | undefined;
  if (walk?.of === of) return walk;
  throw new Refusal("INVALID_CURSOR", `page_token is not a token of a page of ${of}.`);
}

/** The filters of a request, in normalized form. */
function filtersOf(given: Given<Parameters>): Filters {
  const filters = given as Filters;
  return typeof filters.address === "string" && filters.address.startsWith("0x")
    ? { ...filters, address: filters.address.toLowerCase() }
    : filters;
}

/**
 * The chains of a page, each at its block: the walk's, or the last one that all of its categories have.
 * @throws Refusal if a block was replaced, or if a table is empty
 */
export async function pinnedChains(
  chains: readonly WalletChain[],
  walk: WalletWalk | undefined,
  categoriesOf: (chain: WalletChain) => readonly Category[],
  reads: DataReads,
): Promise<readonly PinnedChain[]> {
  const pinned = await Promise.all(
    chains.map(async (one): Promise<PinnedChain | undefined> => {
      const { chain } = one;
      const kept = walk?.pinned[chain.name];
      // A chain that was added after the walk began does not belong to it.
      if (walk && !kept) return undefined;
      const common = reads.common(chain.name, categoriesOf(one));
      if (kept) {
        const [block, agreed] = await Promise.all([checkPinned(kept, chain, reads), common]);
        // Another table may drop the block before the table of blocks does.
        if (!agreed || agreed.number < kept.number) throw replaced(kept, chain);
        return { ...one, block };
      }
      const block = await common;
      if (!block) throw notFilled([chain.feedsSlug]);
      return { ...one, block };
    }),
  );
  return pinned.filter((one) => one !== undefined);
}

/** The blocks of chains, as stored in a walk. */
export function pinnedOf(chains: readonly PinnedChain[]): WalletWalk["pinned"] {
  return Object.fromEntries(
    chains.map(({ chain, block: { number, hash } }) => [chain.name, { number, hash }]),
  );
}
