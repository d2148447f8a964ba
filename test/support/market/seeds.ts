/**
 * The seeds of random markets that tests play: `GRAPHLOOM_MARKET_SEEDS` is how many, or the first and the last one, as in 39-100.
 * `npm run campaign:market` plays more than one.
 */
export const marketSeeds: readonly number[] = seedsIn(process.env.GRAPHLOOM_MARKET_SEEDS ?? "1");

/** Whether more than usual is played. Each market then has all the time that a busy machine takes. */
export const isMarketCampaign = process.env.GRAPHLOOM_MARKET_SEEDS !== undefined;

/** Milliseconds that a market may take in a campaign. */
export const campaignTimeout = 3_600_000;

function seedsIn(text: string): readonly number[] {
  const [, first = "1", last] = /^(?:(\d+)-)?(\d+)$/.exec(text) ?? [];
  if (last === undefined || Number(first) < 1 || Number(first) > Number(last))
    throw new Error(`GRAPHLOOM_MARKET_SEEDS must be a number or a range, such as 100 or 39-100, not ${text}`);
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
}
