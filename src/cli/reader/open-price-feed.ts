import { dataChainOfTables } from "../../data/chains/data-chain.js";
import { type PriceFeed, PriceFeedError } from "../../data/prices/price-feed.js";
import { readPrices } from "../../data/prices/read-prices.js";
import type { Outgoing } from "../../web/outgoing/outgoing.js";
import { OutgoingError } from "../../web/outgoing/outgoing-error.js";

/** Milliseconds that a source may take. */
const timeout = 3_000;
/** The most bytes of an answer. */
const mostBytes = 1024 * 1024;

/** The mistake in the address of a source; `undefined` if it is valid. */
export function faultOfPriceTemplate(template: string): string | undefined {
  if (!/^https?:\/\//i.test(template)) return "--prices must start with http:// or https://";
  if (!URL.canParse(filled(template, "ethereum", []))) return "--prices is not a URL.";
  if (!template.includes("{tokens}"))
    return "--prices must contain {tokens}, where the addresses of tokens go.";
  return undefined;
}

/** A source of prices behind HTTP. @param template its address, with `{chain}`, `{chain_id}` and `{tokens}` */
export function openPriceFeed(template: string, outgoing: Outgoing): PriceFeed {
  return {
    async fetch(chain, tokens) {
      try {
        const { status, body } = await outgoing.send({
          url: filled(template, chain, tokens),
          timeout,
          mostBytes,
          headers: { accept: "application/json" },
        });
        if (status !== 200) throw new PriceFeedError(`It answered with status ${status}.`);
        return readPrices(new TextDecoder().decode(body), tokens);
      } catch (error) {
        if (error instanceof OutgoingError) throw new PriceFeedError(`${error.message}.`, { cause: error });
        throw error;
      }
    },
  };
}

function filled(template: string, name: string, tokens: readonly string[]): string {
  const chain = dataChainOfTables(name);
  return template
    .replaceAll("{chain}", encodeURIComponent(chain?.feedsSlug ?? name))
    .replaceAll("{chain_id}", chain?.chainId ?? "")
    .replaceAll("{tokens}", tokens.join(","));
}
