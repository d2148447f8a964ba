import { quoteForeign } from "../../base/text/quote-foreign.js";
import { boundSecond } from "../answers/bound-second.js";
import { answerOf, type DataAnswer } from "../answers/data-answer.js";
import type { Given } from "../answers/parameters.js";
import { Refusal } from "../answers/refusal.js";
import { chainFamily, type DataChain } from "../chains/data-chain.js";
import { nativeToken } from "../chains/native-token.js";
import type { Filters } from "../cursors/adopt-filters.js";
import type { Sealer } from "../cursors/sealer.js";
import { readExact, toDouble, worthOf } from "../numbers/exact.js";
import type {
  Category,
  DataReads,
  DataStore,
  Move,
  MovePlace,
  MoveQuestion,
  Price,
} from "../reads/data-reads.js";
import { transferParameters } from "./wallet-parameters.js";
import {
  listIn,
  namedChains,
  notFilled,
  timeText,
  tokenFilter,
  type WalletChain,
  walletChains,
  walletIn,
} from "./wallet-question.js";
import { type PinnedChain, pinnedChains, pinnedOf, type WalletWalk, wantedPage } from "./wallet-walk.js";

/** The dependencies of answers about transfers. */
export interface TransfersWorld {
  readonly store: DataStore;
  readonly sealer: Sealer;
  /** Seconds that a price may be old. */
  readonly priceWindow: number;
}

/** Where a page ends on each chain: older moves belong to the next page. A chain without an entry has not begun. */
type Cut = Readonly<Record<string, readonly [block: number, sequence: number]>>;

/** A walk over pages of transfers, as stored in its tokens. */
interface TransfersWalk extends WalletWalk {
  readonly of: "transfers";
  /** The requested page is the one after it, or before it when paging back. */
  readonly cut: Cut;
}

interface ChainMove extends Move {
  readonly chain: DataChain;
  /** The chain's place in the order. */
  readonly rank: number;
}

/** Answers `GET /feeds/wallets/transfers`. @throws Refusal */
export function answerTransfers(query: URLSearchParams, world: TransfersWorld): Promise<DataAnswer> {
  const { walk, filters, size } = wantedPage<TransfersWalk>(
    "transfers",
    transferParameters,
    query,
    world.sealer,
  );
  const question = questionOf(filters);
  return world.store.read(async (reads) => {
    const chains = await walletChains(question.chains, reads);
    checkNatives(chains, question);
    const blocks = await pinnedChains(chains, walk, categoriesOf, reads);
    const of = blocks.map(({ chain, block }) => ({ chain, block }));
    const { wallet } = question;
    const page =
      wallet === undefined || size === 0
        ? { rows: [], next: undefined, prev: undefined }
        : await pageOf({ ...question, wallet }, blocks, { walk, size }, reads);
    const token = (cut: Cut | undefined, back: boolean): string | null =>
      cut
        ? world.sealer.seal({
            of: "transfers",
            filters,
            pinned: pinnedOf(blocks),
            cut,
            back,
          } satisfies TransfersWalk)
        : null;
    const prices = await reads.prices(
      page.rows.map(({ chain, token: address, timestamp }) => ({
        chain: chain.name,
        token: address,
        time: timestamp,
      })),
      world.priceWindow,
    );
    const body = {
      data: page.rows.map((row, index) => itemOf(row, wallet ?? "", prices[index])),
      pagination: {
        page_size: size,
        next_page_token: token(page.next, false),
        prev_page_token: token(page.prev, true),
      },
    };
    return answerOf(body, of, "head");
  });
}

type Question = Omit<MoveQuestion, "chain" | "wallet" | "limit" | "to"> & {
  readonly wallet: string | undefined;
  readonly chains: readonly DataChain[] | undefined;
  readonly toBlock: number | undefined;
  /** Whether native transfers are requested by name. */
  readonly insistsOnNatives: boolean;
};

/** @throws Refusal */
function questionOf(filters: Filters): Question {
  const { direction, from, to, from_block, to_block, transfer_type } = filters as Given<
    typeof transferParameters
  >;
  const chains = namedChains(filters);
  if ((from_block !== undefined || to_block !== undefined) && chains?.length !== 1)
    throw new Refusal(
      "CONFLICTING_FILTERS",
      "from_block and to_block require exactly one chain: numbers of blocks are of one chain.",
    );
  const types = typesIn(transfer_type);
  const tokens = tokenFilter(filters);
  const wantsNative = !tokens.tokens || tokens.tokens.includes(nativeToken);
  return {
    ...tokens,
    wallet: walletIn(filters),
    chains,
    types: types.filter((type) => type !== "native" || wantsNative),
    direction: direction as "in" | "out" | undefined,
    since: from === undefined ? undefined : boundSecond("from", from, "first"),
    until: to === undefined ? undefined : boundSecond("to", to, "last"),
    from: from_block,
    toBlock: to_block,
    insistsOnNatives:
      (transfer_type !== undefined && types.includes("native")) ||
      (tokens.tokens?.includes(nativeToken) ?? false),
  };
}

/** @throws Refusal */
function typesIn(text: string | undefined): readonly ("erc20" | "native")[] {
  const types = listIn("transfer_type", text) ?? ["erc20", "native"];
  const wrong = types.find((type) => !["native", "erc20", "spl"].includes(type));
  if (wrong !== undefined)
    throw new Refusal(
      "BAD_REQUEST",
      /^erc(?:721|1155)$/.test(wrong)
        ? `transfer_type ${wrong} is not supported: there are native and erc20.`
        : `transfer_type must be native or erc20, not ${quoteForeign(wrong)}.`,
    );
  return types.filter((type) => type === "erc20" || type === "native");
}

/** @throws Refusal if native transfers are requested but not read */
function checkNatives(chains: readonly WalletChain[], { insistsOnNatives }: Question): void {
  if (!insistsOnNatives) return;
  const without = chains.filter(({ tables }) => !tables.natives).map(({ chain }) => chain.feedsSlug);
  if (without.length > 0) throw notFilled(without, "There are no native transfers");
}

/** The tables of a chain from which transfers are read. */
function categoriesOf({ tables }: WalletChain): readonly Category[] {
  return ["blocks", "transfers", ...(tables.natives ? (["natives"] as const) : [])];
}

/** One page: its rows, newest first, and the places of its neighbours. */
async function pageOf(
  { toBlock, types, ...question }: Question & { readonly wallet: string },
  blocks: readonly PinnedChain[],
  { walk, size }: { readonly walk: TransfersWalk | undefined; readonly size: number },
  reads: DataReads,
): Promise<{
  readonly rows: readonly ChainMove[];
  readonly next: Cut | undefined;
  readonly prev: Cut | undefined;
}> {
  const { cut = {}, back = false } = walk ?? {};
  const ofChains = await Promise.all(
    blocks.map(async ({ chain, tables, block }, rank): Promise<readonly ChainMove[]> => {
      const place = movePlace(cut[chain.name]);
      // Without a place, the chain has no newer moves.
      if (back && !place) return [];
      const moves = await reads.moves({
        ...question,
        chain: chain.name,
        types: types.filter((type) => type !== "native" || tables.natives),
        to: Math.min(block.number, toBlock ?? block.number),
        ...(back ? { above: place } : { below: place }),
        limit: size + 1,
      });
      return moves.map((row) => ({ ...row, chain, rank }));
    }),
  );
  const found = ofChains.flat();
  found.sort(newestFirst);
  if (back) {
    const rows = found.slice(-size);
    const top = cutAbove(rows, cut);
    return { rows, next: cut, prev: found.length > size ? top : undefined };
  }
  const rows = found.slice(0, size);
  return {
    rows,
    next: found.length > size ? cutBelow(rows, cut) : undefined,
    prev: walk ? cut : undefined,
  };
}

function movePlace(at: Cut[string] | undefined): MovePlace | undefined {
  return at && { block: at[0], sequence: at[1] };
}

/** The order of rows. Timestamps never decrease along a chain, so this is also the order within each chain. */
function newestFirst(one: ChainMove, other: ChainMove): number {
  return (
    other.timestamp - one.timestamp ||
    one.rank - other.rank ||
    other.block - one.block ||
    other.sequence - one.sequence
  );
}

/** The older end of a page. */
function cutBelow(rows: readonly ChainMove[], before: Cut): Cut {
  const cut: Record<string, readonly [number, number]> = { ...before };
  for (const { chain, block, sequence } of rows) cut[chain.name] = [block, sequence];
  return cut;
}

/** The newer end of a page. */
function cutAbove(rows: readonly ChainMove[], after: Cut): Cut {
  const cut: Record<string, readonly [number, number]> = { ...after };
  for (const { chain, block, sequence } of [...rows].reverse()) cut[chain.name] = [block, sequence + 1];
  return cut;
}

function itemOf(row: ChainMove, wallet: string, price: Price | undefined): object {
  const isIn = row.sequence % 2 === 1;
  const amount = row.amount < 0n ? -row.amount : row.amount;
  const usd = price && readExact(price.usd);
  const [from, to] = isIn ? [row.counterparty, wallet] : [wallet, row.counterparty];
  const [fromLabel, toLabel] = isIn ? [row.label, row.ownLabel] : [row.ownLabel, row.label];
  return {
    chain: row.chain.feedsSlug,
    chain_family: chainFamily,
    block_number: row.block,
    block_timestamp: timeText(row.timestamp),
    transaction_hash: row.transaction,
    direction: isIn ? "in" : "out",
    token_address: row.token,
    amount_raw: String(amount),
    transfer_type: row.type,
    amount_usd: usd && row.decimals !== null ? toDouble(worthOf(amount, row.decimals, usd)) : null,
    price_usd: usd ? toDouble(usd) : null,
    from_address: from,
    to_address: to,
    from_label: fromLabel,
    to_label: toLabel,
    token_decimals: row.decimals,
    token_logo_url: row.logoUrl,
    token_name: row.name,
    token_symbol: row.symbol,
  };
}
