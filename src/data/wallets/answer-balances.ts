import { groupBy } from "../../base/group-by.js";
import { answerOf, type DataAnswer } from "../answers/data-answer.js";
import type { Given } from "../answers/parameters.js";
import { Refusal } from "../answers/refusal.js";
import type { MarkKind } from "../catalog/token-marks.js";
import { chainFamily, type DataChain } from "../chains/data-chain.js";
import type { KnownBlock } from "../chains/known-block.js";
import { nativeToken } from "../chains/native-token.js";
import type { Filters } from "../cursors/adopt-filters.js";
import type { Sealer } from "../cursors/sealer.js";
import type { NodeBalances } from "../nodes/read-balances.js";
import {
  addExact,
  compareExact,
  type Exact,
  exactText,
  readExact,
  toDouble,
  worthOf,
} from "../numbers/exact.js";
import type { PriceKeeper } from "../prices/price-keeper.js";
import type { DataReads, DataStore, Holding, Price, ServedToken, TokenFilter } from "../reads/data-reads.js";
import { balanceParameters, mostOmitted } from "./wallet-parameters.js";
import {
  namedChains,
  timeText,
  tokenFilter,
  type WalletChain,
  walletChains,
  walletIn,
} from "./wallet-question.js";
import { type PinnedChain, pinnedChains, pinnedOf, type WalletWalk, wantedPage } from "./wallet-walk.js";

/** The dependencies of answers about balances. */
export interface BalancesWorld {
  readonly store: DataStore;
  readonly sealer: Sealer;
  readonly balances: NodeBalances;
  /** The project of the client, if there is one. */
  readonly project?: string | undefined;
  /** Seconds that a price may be old. */
  readonly priceWindow: number;
  /** Fetches prices that the tables lack. */
  readonly priceKeeper?: PriceKeeper | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A walk over pages of balances, as stored in its tokens. */
interface BalancesWalk extends WalletWalk {
  readonly of: "balances";
  /** The start of the walk, in seconds since 1970: prices are of that time. */
  readonly time: number;
  /** The row before or after the page. */
  readonly at: KeptKey;
}

/** The sort key of rows, as stored in tokens. */
interface KeptKey {
  /** Decimal digits; null without a value. */
  readonly value: string | null;
  readonly chain: string;
  readonly token: string;
}

/** A sort key with its value as a number. */
type RowKey = Omit<KeptKey, "value"> & { readonly value: Exact | undefined };

/** A balance on its way into the answer. */
interface Balance {
  readonly chain: DataChain;
  readonly block: KnownBlock;
  readonly token: string;
  /** `undefined` if it was not looked up. */
  readonly known: ServedToken | undefined;
  readonly amount: bigint;
  readonly source: "node" | "transfers";
  readonly mark: MarkKind | null;
  /** The index of the token's price; `undefined` if it cannot have one. */
  readonly place: number | undefined;
}

/** A token with an unknown balance. */
interface OmittedToken {
  readonly chain: string;
  readonly token_address: string;
  readonly reason: MarkKind | "negative" | "no_answer";
}

interface ValuedBalance extends RowKey {
  readonly balance: Balance;
  readonly price: Price | undefined;
}

/** The most tokens of a wallet on a chain to examine. */
const mostHoldings = 10_000;
/** The most tokens with prices to ask a node about although the wallet has not moved them. */
const mostPriceable = 10_000;
/** Seconds after which a node may answer again. */
const nodeTime = 10;

/** Answers `GET /feeds/wallets/balances`. @throws Refusal */
export async function answerBalances(query: URLSearchParams, world: BalancesWorld): Promise<DataAnswer> {
  const { walk, filters, size } = wantedPage<BalancesWalk>(
    "balances",
    balanceParameters,
    query,
    world.sealer,
  );
  const wallet = walletIn(filters);
  const named = namedChains(filters);
  const tokens = tokenFilter(filters);
  const chains = await world.store.read(async (reads) => {
    const found = await walletChains(named, reads);
    return pinnedHoldings(found, { wallet, tokens, walk, nodes: world.balances }, reads);
  });
  const time = walk?.time ?? Math.floor(world.now() / 1000);
  const questions = chains.flatMap((one) =>
    priceableTokens(one).map((token) => ({ chain: one.chain.name, token, time })),
  );
  const readPrices = (): Promise<readonly (Price | undefined)[]> =>
    world.store.read((reads) => reads.prices(questions, world.priceWindow, time));
  // The database looks up prices while nodes answer.
  const [{ balances, omitted }, stored] =
    wallet === undefined
      ? [{ balances: [], omitted: [] }, []]
      : await Promise.all([readBalances(chains, wallet, world), readPrices()]);
  const unpriced = balances.flatMap(({ place }) =>
    place === undefined || stored[place] ? [] : (questions[place] ?? []),
  );
  // Later pages have the prices of the first one.
  const isFetching = !walk && world.priceKeeper !== undefined && unpriced.length > 0;
  if (isFetching) await world.priceKeeper?.refresh(unpriced, time);
  const prices = isFetching ? await readPrices() : stored;
  const priceOf = ({ place }: Balance): Price | undefined =>
    place === undefined ? undefined : prices[place];
  // Only tokens with a price have a value, which needs their decimals.
  const priced = await knownTokens(balances.filter(priceOf), world.store);
  const rows = balances
    .map((balance) => valued(balance, priceOf(balance), priced.get(balance)))
    .filter(filterOf(filters))
    .sort(compareKeys);
  const total = rows.reduce((sum, { value }) => (value ? addExact(sum, value) : sum), {
    digits: 0n,
    scale: 0,
  } as Exact);
  const page = pageOf(rows, walk, size);
  const shown = page.rows.map(({ balance }) => balance);
  const known = await knownTokens(
    shown.filter((balance) => !priced.has(balance)),
    world.store,
  );
  const token = (row: ValuedBalance | undefined, back: boolean): string | null =>
    row
      ? world.sealer.seal({
          of: "balances",
          filters,
          pinned: pinnedOf(chains),
          time,
          at: keptKeyOf(row),
          back,
        } satisfies BalancesWalk)
      : null;
  const body = {
    address: String(filters.address),
    total_value_usd: toDouble(total),
    data: page.rows.map((row) => itemOf(row, priced.get(row.balance) ?? known.get(row.balance))),
    omitted_count: omitted.length,
    omitted_tokens: omitted.slice(0, mostOmitted),
    pagination: {
      page_size: size,
      next_page_token: token(page.hasNext ? page.rows.at(-1) : undefined, false),
      prev_page_token: token(page.hasPrev ? page.rows[0] : undefined, true),
    },
  };
  return answerOf(body, chains, "head");
}

/** A wallet's holdings on a chain at a block, according to its transfers. */
interface PinnedHoldings extends PinnedChain {
  readonly holdings: readonly Holding[];
  /** Set if the native coin is requested. */
  readonly native: ServedToken | undefined;
}

/** The tokens of a chain that may have a price: the native coin first, if requested. */
function priceableTokens({ native, holdings }: PinnedHoldings): readonly string[] {
  const tokens = holdings.filter(({ isPriceable }) => isPriceable).map(({ token }) => token);
  return native ? [nativeToken, ...tokens] : tokens;
}

/** Whether a wallet may hold a token that it has no transfer of. */
function mayHold({ mark, lacksMoves }: Pick<Holding, "mark" | "lacksMoves">): boolean {
  return mark === "no_transfers" || (lacksMoves && mark === null);
}

/**
 * With a node, the holdings include tokens with prices that the wallet has not moved: some arrive without a transfer.
 * Without a node, they include only the tokens that can arrive so.
 * @throws Refusal if a block was replaced, or if a table is empty
 */
async function pinnedHoldings(
  chains: readonly WalletChain[],
  {
    wallet,
    tokens,
    walk,
    nodes,
  }: {
    readonly wallet: string | undefined;
    readonly tokens: TokenFilter;
    readonly walk: BalancesWalk | undefined;
    readonly nodes: NodeBalances;
  },
  reads: DataReads,
): Promise<readonly PinnedHoldings[]> {
  const pinned = await pinnedChains(chains, walk, () => ["blocks", "transfers"], reads);
  return Promise.all(
    pinned.map(async (one): Promise<PinnedHoldings> => {
      if (wallet === undefined) return { ...one, holdings: [], native: undefined };
      const { chain, block } = one;
      const question = { ...tokens, chain: chain.name, wallet, block: block.number };
      const [holdings, native, priceable] = await Promise.all([
        reads.holdings(question, mostHoldings + 1),
        reads.native(chain.name, tokens),
        reads.priceable(chain.name, tokens, mostPriceable),
      ]);
      if (holdings.length > mostHoldings)
        throw new Refusal(
          "BAD_REQUEST",
          `The wallet has had more than ${mostHoldings} tokens on ${chain.feedsSlug}. Name some with token_address, or leave out include_unknown_price.`,
        );
      const moved = new Set(holdings.map(({ token }) => token));
      const others = priceable
        .filter((held) => !moved.has(held.token) && (nodes.has(chain.name) || mayHold(held)))
        .map((held) => ({ ...held, sum: undefined, known: undefined }));
      return { ...one, holdings: [...holdings, ...others], native };
    }),
  );
}

/**
 * The balances at the pinned blocks: from the nodes, otherwise as sums of transfers.
 * @throws Refusal if native balances are requested and no node answers, or if sums are incomplete
 */
async function readBalances(
  chains: readonly PinnedHoldings[],
  wallet: string,
  { balances: nodes, project }: Pick<BalancesWorld, "balances" | "project">,
): Promise<{ readonly balances: readonly Balance[]; readonly omitted: readonly OmittedToken[] }> {
  const noNatives: string[] = [];
  const partial: string[] = [];
  const omitted: OmittedToken[] = [];
  let places = 0;
  const found = await Promise.all(
    chains.map(async (one): Promise<readonly Balance[]> => {
      const { chain, block, holdings, native, tables } = one;
      let place = places;
      places += priceableTokens(one).length;
      const at = { chain: chain.name, wallet, blockHash: block.hash, project };
      const isWhole = tables.firstBlock === 0;
      const believed = holdings.filter(({ mark }) => mark !== "unreliable").map(({ token }) => token);
      const isMoved = holdings.some(({ sum }) => sum !== undefined);
      const [ofNative, ofTokens] = await Promise.all([
        native ? nodes.read(at, [nativeToken]) : [],
        nodes.read(at, believed),
      ]);
      if (native && ofNative?.[0] === undefined) noNatives.push(chain.feedsSlug);
      if (!isWhole && !ofTokens && isMoved) partial.push(chain.feedsSlug);
      const balances: Balance[] = [];
      if (native)
        balances.push({
          chain,
          block,
          token: nativeToken,
          known: native,
          amount: ofNative?.[0] ?? 0n,
          source: "node",
          mark: null,
          place: place++,
        });
      // A wallet may have thousands of tokens: each is one object with the same fields in the same order.
      let asked = 0;
      for (const { token, sum, mark, known, isPriceable, lacksMoves } of holdings) {
        const ownPlace = isPriceable ? place++ : undefined;
        const told = mark === "unreliable" ? undefined : ofTokens?.[asked++];
        // A token that the wallet has never had needs no balance, unless that cannot be known.
        const isOther = sum === undefined && !(told === undefined && mayHold({ mark, lacksMoves }));
        if (isOther && (told ?? 0n) === 0n) continue;
        const found = amountOf({ mark, sum: sum ?? 0n, isWhole: isWhole && !lacksMoves, told });
        if (typeof found === "string")
          omitted.push({ chain: chain.feedsSlug, token_address: token, reason: found });
        else
          balances.push({
            chain,
            block,
            token,
            known,
            mark,
            place: ownPlace,
            amount: found.amount,
            source: found.source,
          });
      }
      return balances;
    }),
  );
  if (noNatives.length > 0)
    throw new Refusal(
      "UNAVAILABLE",
      `Native balances are not available: no node of ${noNatives.join(", ")} answers. Name tokens with token_address to leave natives out.`,
      { chains: noNatives, retryAfter: nodeTime },
    );
  if (partial.length > 0)
    throw new Refusal(
      "UNAVAILABLE",
      `Balances are not available: the tables of ${partial.join(", ")} do not begin at block 0, and no node answers.`,
      { chains: partial, retryAfter: nodeTime },
    );
  omitted.sort(
    (one, other) =>
      compareText(one.chain, other.chain) || compareText(one.token_address, other.token_address),
  );
  return { balances: found.flat(), omitted };
}

/**
 * The amount to show for a token, or the reason for showing none. A contract that an audit found unreliable is not
 * asked; the sums of a token with another mark are not trusted.
 * @param told the contract's answer
 */
function amountOf({
  mark,
  sum,
  isWhole,
  told,
}: {
  readonly mark: MarkKind | null;
  readonly sum: bigint;
  readonly isWhole: boolean;
  readonly told: bigint | undefined;
}): Pick<Balance, "amount" | "source"> | OmittedToken["reason"] {
  if (told !== undefined) return { amount: told, source: "node" };
  if (mark !== null && mark !== "unreliable") return mark;
  if (!isWhole) return mark ?? "no_answer";
  // Only tokens that change balances without a transfer have negative sums.
  if (sum < 0n) return "negative";
  return { amount: sum, source: "transfers" };
}

/** The facts about the tokens of balances. Looks up facts that were not read with the balances. */
async function knownTokens(
  balances: readonly Balance[],
  store: DataStore,
): Promise<ReadonlyMap<Balance, ServedToken>> {
  const found = new Map(balances.flatMap((balance) => (balance.known ? [[balance, balance.known]] : [])));
  const missing = groupBy(
    balances.filter(({ known }) => !known),
    ({ chain }) => chain.name,
  );
  if (missing.size === 0) return found;
  await store.read((reads) =>
    Promise.all(
      [...missing].map(async ([chain, some]) => {
        const known = await reads.known(
          chain,
          some.map(({ token, block }) => ({ token, block: block.number })),
        );
        for (const [index, balance] of some.entries()) {
          const token = known[index];
          if (token) found.set(balance, token);
        }
      }),
    ),
  );
  return found;
}

/** @param known the facts about its token, if it has a price */
function valued(balance: Balance, price: Price | undefined, known: ServedToken | undefined): ValuedBalance {
  const { chain, token, amount, mark } = balance;
  const decimals = known?.decimals ?? null;
  const usd = price && readExact(price.usd);
  // The transfers of an unreliable contract are not better than its balances.
  const isReliable = mark !== "unreliable";
  const value = usd && decimals !== null && isReliable ? worthOf(amount, decimals, usd) : undefined;
  return { value, chain: chain.feedsSlug, token, balance, price };
}

function filterOf(filters: Filters): (row: ValuedBalance) => boolean {
  const { min_value_usd: least, include_historical: withZeros = false } = filters as Given<
    typeof balanceParameters
  >;
  const lowest = least === undefined ? undefined : readExact(String(least));
  return ({ balance, value }) => {
    if (balance.amount === 0n && !withZeros) return false;
    return lowest === undefined || (value !== undefined && compareExact(value, lowest) >= 0);
  };
}

function keptKeyOf({ value, chain, token }: ValuedBalance): KeptKey {
  return { value: value ? exactText(value) : null, chain, token };
}

/** The order of rows: the most valuable first, rows without a value last, then by chain and token. */
function compareKeys(one: RowKey, other: RowKey): number {
  const [left, right] = [one.value, other.value];
  if (left && right) {
    const difference = compareExact(right, left);
    if (difference !== 0) return difference;
  } else if (left || right) return left ? -1 : 1;
  return compareText(one.chain, other.chain) || compareText(one.token, other.token);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function pageOf(
  rows: readonly ValuedBalance[],
  walk: BalancesWalk | undefined,
  size: number,
): { readonly rows: readonly ValuedBalance[]; readonly hasNext: boolean; readonly hasPrev: boolean } {
  if (size === 0) return { rows: [], hasNext: false, hasPrev: false };
  const at = walk && { ...walk.at, value: walk.at.value === null ? undefined : readExact(walk.at.value) };
  const before = (isBefore: (place: number) => boolean): number =>
    at ? rows.filter((row) => isBefore(compareKeys(row, at))).length : 0;
  const end = walk?.back ? before((place) => place < 0) : undefined;
  const from = end === undefined ? before((place) => place <= 0) : Math.max(0, end - size);
  const to = end ?? from + size;
  return { rows: rows.slice(from, to), hasNext: to < rows.length, hasPrev: from > 0 };
}

function itemOf({ balance, price, value }: ValuedBalance, known: ServedToken | undefined): object {
  const { chain, block, token, amount, source, mark } = balance;
  const usd = price && readExact(price.usd);
  return {
    chain: chain.feedsSlug,
    chain_family: chainFamily,
    token_address: token,
    balance_raw: String(amount),
    block_number: block.number,
    block_timestamp: timeText(block.timestamp),
    token_decimals: known?.decimals ?? null,
    token_logo_url: known?.logoUrl ?? null,
    token_name: known?.name ?? null,
    token_symbol: known?.symbol ?? null,
    price_usd: usd ? toDouble(usd) : null,
    value_usd: value ? toDouble(value) : null,
    last_priced_at: price?.asOf == null ? null : timeText(price.asOf),
    balance_source: source,
    token_mark: mark,
  };
}
