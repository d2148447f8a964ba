/** A price from a source. */
export interface FetchedPrice {
  /** In lower case. */
  readonly token: string;
  /** Decimal digits. */
  readonly usd: string;
  /** When the source updated it, in seconds since 1970. */
  readonly observedAt: number;
}

/** A source of current prices. */
export interface PriceFeed {
  /** @throws PriceFeedError */
  fetch(chain: string, tokens: readonly string[]): Promise<readonly FetchedPrice[]>;
}

/** A source that does not answer, or answers incorrectly. The message is a sentence without secrets. */
export class PriceFeedError extends Error {
  override readonly name = "PriceFeedError";
}
