import { isRecord, parseJson } from "../../base/text/json-value.js";
import { readExact } from "../numbers/exact.js";
import { type FetchedPrice, PriceFeedError } from "./price-feed.js";

/**
 * Reads the answer of a source: `{ "0x…": { "usd": 1.5, "last_updated_at": 1700000000 } }`. Tokens that were not
 * requested are left out, and so are tokens without a price above zero and a time.
 * @throws PriceFeedError for any other answer
 */
export function readPrices(text: string, tokens: readonly string[]): readonly FetchedPrice[] {
  const answer = parseJson(text);
  if (!isRecord(answer)) throw new PriceFeedError("The answer is not a JSON object of tokens.");
  const wanted = new Set(tokens);
  return Object.entries(answer).flatMap(([name, said]) => {
    const token = name.toLowerCase();
    if (!wanted.delete(token) || !isRecord(said)) return [];
    const { usd: written, last_updated_at: observedAt } = said;
    const usd = typeof written === "number" || typeof written === "string" ? String(written) : "";
    const price = readExact(usd);
    const isTime = typeof observedAt === "number" && Number.isFinite(observedAt) && observedAt > 0;
    return price && price.digits > 0n && isTime ? [{ token, usd, observedAt: Math.floor(observedAt) }] : [];
  });
}
