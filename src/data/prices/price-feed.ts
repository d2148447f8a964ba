/** A price that a source says. */
export interface FetchedPrice {
  /** In lower case. */
  readonly token: string;
  /** Decimal digits. */
  readonly usd: string;
  /** When the source updated it, in seconds since 1970. */
  readonly observedAt: number;
}

/** A source of prices of this moment. */
export interface PriceFeed {
  /** @throws PriceFeedError */
  fetch(chain: string, tokens: readonly string[]): Promise<readonly FetchedPrice[]>;
}

/** A source that does not answer, or not as it should. The message is a sentence without secrets. */
export class PriceFeedError extends Error {
  override readonly name = "PriceFeedError";
}
