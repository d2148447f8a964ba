import { LRUCache } from "lru-cache";
import { groupBy } from "../../base/group-by.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import { priceableTokens, writeFetchedPrices } from "../catalog/fetched-prices.js";
import { type FetchedPrice, type PriceFeed, PriceFeedError } from "./price-feed.js";

/** A token whose price is requested. */
export interface WantedPrice {
  readonly chain: string;
  readonly token: string;
}

/** Gets prices that the tables lack, and stores them. */
export interface PriceKeeper {
  /**
   * Fetches current prices. Tokens without an available price stay without one.
   * @param now seconds since 1970
   */
  refresh(wanted: readonly WantedPrice[], now: number): Promise<void>;
}

/** The dependencies of a keeper. */
export interface PriceKeeperOptions {
  readonly database: Database;
  readonly feed: PriceFeed;
  /**
   * Called once for each failed request.
   * @param reason a sentence
   */
  onFailure(chain: string, reason: string): void;
}

/** The most tokens in a request to the source, and in a refresh. */
const [together, mostAtOnce] = [50, 200];
/** Milliseconds after which a token's price is requested again; sooner after a failure. */
const [keptFor, failedFor] = [60_000, 10_000];
/** Seconds that the clock of a source may be ahead. */
const ahead = 60;

/** Fetches prices from a source, each token at most once a minute. */
export function createPriceKeeper({ database, feed, onFailure }: PriceKeeperOptions): PriceKeeper {
  const asked = new LRUCache<string, Promise<void>>({ max: 50_000 });
  const nameOf = ({ chain, token }: WantedPrice): string => `${chain} ${token}`;

  async function ask(chain: string, tokens: readonly string[], now: number): Promise<void> {
    try {
      const found = await feed.fetch(chain, tokens);
      // A price from the future comes from a wrong clock.
      const rows = found.filter(({ observedAt }) => observedAt <= now + ahead);
      await writeFetchedPrices(
        database,
        chain,
        rows.map((row) => notAfter(row, now)),
        now,
      );
    } catch (error) {
      if (!(error instanceof PriceFeedError || error instanceof DatabaseError)) throw error;
      onFailure(chain, error instanceof PriceFeedError ? error.message : "The database refused the prices.");
      for (const token of tokens) asked.set(nameOf({ chain, token }), Promise.resolve(), { ttl: failedFor });
    }
  }

  async function priceable(fresh: readonly WantedPrice[]): Promise<readonly WantedPrice[]> {
    const [first] = fresh;
    if (!first) return [];
    try {
      return (await priceableTokens(database, fresh)).slice(0, mostAtOnce);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      onFailure(first.chain, "The database did not say which tokens have prices.");
      return [];
    }
  }

  return {
    async refresh(wanted, now) {
      const known = await priceable(wanted.filter((one) => !asked.has(nameOf(one))));
      // Wait for prices that other requests are fetching.
      const running = wanted.flatMap((one) => asked.get(nameOf(one)) ?? []);
      for (const [chain, own] of groupBy(known, (one) => one.chain))
        for (let index = 0; index < own.length; index += together) {
          const some = own.slice(index, index + together);
          const asking = ask(
            chain,
            some.map(({ token }) => token),
            now,
          );
          for (const one of some) asked.set(nameOf(one), asking, { ttl: keptFor });
          running.push(asking);
        }
      await Promise.all(running);
    },
  };
}

function notAfter(row: FetchedPrice, now: number): FetchedPrice {
  return { ...row, observedAt: Math.min(row.observedAt, now) };
}
