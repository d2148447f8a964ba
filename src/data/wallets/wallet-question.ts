import { quoteForeign } from "../../base/text/quote-foreign.js";
import { Refusal } from "../answers/refusal.js";
import { type DataChain, dataChainOfFeeds, dataChainOfTables } from "../chains/data-chain.js";
import type { Filters } from "../cursors/adopt-filters.js";
import type { DataReads, IndexedChain, TokenFilter } from "../reads/data-reads.js";
import { mostTokens } from "./wallet-parameters.js";

/** A chain of a request, and its tables. */
export interface WalletChain {
  readonly chain: DataChain;
  readonly tables: IndexedChain;
}

/** Seconds after which missing tables may exist. */
const fillingTime = 60;

/** The items of a list that a parameter holds. @throws Refusal for an empty item, or too many */
export function listIn(name: string, text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const items = [...new Set(text.split(",").map((item) => item.trim()))];
  if (items.includes("")) throw new Refusal("BAD_REQUEST", `${name} has an empty item.`);
  if (items.length > mostTokens)
    throw new Refusal("BAD_REQUEST", `${name} has more than ${mostTokens} items.`);
  return items;
}

/**
 * The chains that a request names, without reading the tables.
 * @throws Refusal
 */
export function namedChains(filters: Filters): readonly DataChain[] | undefined {
  const names = listIn("chains", filters.chains as string | undefined);
  const chains = names?.map((name) => {
    const chain = dataChainOfFeeds(name);
    if (chain) return chain;
    throw new Refusal("UNKNOWN_CHAIN", `There is no chain ${quoteForeign(name)}.`);
  });
  return chains?.filter(({ name }, index) => chains.findIndex((one) => one.name === name) === index);
}

/**
 * The chains of a request: the ones that it names, or all that have tables. @throws Refusal for a chain without
 * tables
 */
export async function walletChains(
  named: readonly DataChain[] | undefined,
  reads: DataReads,
): Promise<readonly WalletChain[]> {
  const filled = await reads.chains();
  if (!named)
    return filled.flatMap((tables) => {
      const chain = dataChainOfTables(tables.chain);
      return chain ? [{ chain, tables }] : [];
    });
  const found = named.map((chain) => ({ chain, tables: filled.find((one) => one.chain === chain.name) }));
  const missing = found.filter(({ tables }) => !tables).map(({ chain }) => chain.feedsSlug);
  if (missing.length > 0) throw notFilled(missing);
  return found.flatMap(({ chain, tables }) => (tables ? [{ chain, tables }] : []));
}

/** The refusal for chains whose tables lack the requested data. @param chains their names in the feeds */
export function notFilled(chains: readonly string[], what = "There is no data"): Refusal {
  return new Refusal("UNAVAILABLE", `${what} of ${chains.join(", ")}. /status says what is there.`, {
    chains,
    retryAfter: fillingTime,
  });
}

/**
 * The tokens that a request selects.
 * @throws Refusal for an invalid address
 */
export function tokenFilter(filters: Filters): TokenFilter {
  const tokens = listIn("token_address", filters.token_address as string | undefined);
  const wrong = tokens?.find((token) => !/^0x[\da-f]{40}$/i.test(token));
  if (wrong !== undefined)
    throw new Refusal(
      "BAD_REQUEST",
      `token_address must be addresses, 0x and 40 hex digits, not ${quoteForeign(wrong)}.`,
    );
  return {
    tokens: tokens?.map((token) => token.toLowerCase()),
    symbols: listIn("token_symbol", filters.token_symbol as string | undefined)?.map((symbol) =>
      symbol.toLowerCase(),
    ),
    withUnpriced: filters.include_unknown_price === true,
  };
}

/**
 * The walk's wallet, in lower case; `undefined` for an address of another family of chains, which has no data here.
 */
export function walletIn(filters: Filters): string | undefined {
  const address = String(filters.address);
  return address.startsWith("0x") ? address.toLowerCase() : undefined;
}

/** Seconds since 1970 as RFC 3339. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
