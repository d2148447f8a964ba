import type { DataChain } from "../chains/data-chain.js";
import type { KnownBlock } from "../chains/known-block.js";
import type { Refusal } from "./refusal.js";

/** An answer of the service, for any HTTP server. */
export interface DataAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/**
 * How long an answer may be cached. `final`: no reorganisation changes it. `head`: it changes with every block.
 * `never`: it describes the present.
 */
export type Freshness = "final" | "head" | "never";

const cacheControl: Readonly<Record<Freshness, string>> = {
  final: "private, max-age=86400",
  head: "private, max-age=2",
  never: "no-store",
};

/** The block that an answer describes. */
export interface AnsweredBlock {
  readonly chain: DataChain;
  /** A subgraph's store may lack the timestamp. */
  readonly block: Omit<KnownBlock, "timestamp"> & { readonly timestamp?: number | undefined };
}

/**
 * A successful answer.
 * @param body a value for JSON, or JSON text
 * @param of the block of each chain that it describes
 */
export function answerOf(
  body: object | string,
  of: readonly AnsweredBlock[],
  freshness: Freshness,
): DataAnswer {
  return {
    status: 200,
    headers: { "cache-control": cacheControl[freshness], ...blockHeaders(of) },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** The answer to a refused request. */
export function answerOfRefusal(refusal: Refusal): DataAnswer {
  const { status, code, message, chains, retryAfter } = refusal;
  return {
    status,
    headers: {
      "cache-control": "no-store",
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...(status === 405 && { allow: "GET, HEAD" }),
    },
    body: JSON.stringify({ error: { code, message, ...(chains && { chains }) } }),
  };
}

/** `x-blocks` names the block of each chain; answers about one chain also have it in separate headers. */
function blockHeaders(of: readonly AnsweredBlock[]): Readonly<Record<string, string>> {
  const [only] = of;
  const list = of.map(
    ({ chain, block: { number, hash, timestamp } }) =>
      `${chain.feedsSlug};number=${number};hash="${hash}"${timestamp === undefined ? "" : `;time=${timestamp}`}`,
  );
  return {
    ...(only && { "x-blocks": list.join(", ") }),
    ...(only &&
      of.length === 1 && {
        "x-block-number": String(only.block.number),
        "x-block-hash": only.block.hash,
        ...(only.block.timestamp !== undefined && { "x-block-timestamp": String(only.block.timestamp) }),
      }),
  };
}
