import { answerOf, type DataAnswer } from "../answers/data-answer.js";
import { type Given, type Parameters, readParameters } from "../answers/parameters.js";
import { Refusal } from "../answers/refusal.js";
import { largestLimit, usualLimit } from "../blocks/block-parameters.js";
import { adoptFilters, type Filters } from "../cursors/adopt-filters.js";
import type { Sealer } from "../cursors/sealer.js";
import type { Market } from "./market.js";
import type { MarketBlock, MarketReads, SortKey } from "./market-reads.js";
import { openMarket } from "./open-market.js";

/** The dependencies of answers about a market. */
export interface MarketWorld {
  readonly market: Market;
  readonly sealer: Sealer;
}

/** The list on a page. */
export type MarketList = "activity" | "balances" | "positions";

/** A walk over pages, as stored in its cursor. */
interface MarketWalk {
  readonly of: `market ${MarketList}`;
  /** The build whose entities the walk covers. */
  readonly build: string;
  /** Includes the sort. */
  readonly filters: Filters;
  /** The newest block when the walk began; all pages are read at it. */
  readonly pinned: MarketBlock;
  /** The newest block at the previous page. While it is on the chain, so is the pinned one. */
  readonly seen: Pick<MarketBlock, "number" | "hash">;
  /** The sort keys of the last row of the previous page. */
  readonly after: readonly string[];
}

/** How an operation reads its rows. */
export interface MarketOperation<Field extends string, Row> {
  readonly of: MarketList;
  readonly parameters: Parameters;
  /** Filters in the form to store and compare, with their defaults. @throws Refusal */
  settle(given: Filters): Filters;
  /** @throws Refusal for insufficient filters */
  check?(filters: Filters, limit: number): void;
  order(filters: Filters): readonly SortKey<Field>[];
  /** The block whose entities are requested, unless it is the pinned one. */
  asOf?(filters: Filters): number | undefined;
  /** The last block that a page may show. @param after the sort keys of the row before it */
  upTo?(filters: Filters, after: readonly string[] | undefined): number | undefined;
  read(reads: MarketReads, filters: Filters, page: MarketPage<Field>): Promise<readonly Row[]>;
  keyOf(row: Row, field: Field): string | number | bigint | null;
  itemOf(row: Row): object;
}

/** The question of a page, besides its filters. */
export interface MarketPage<Field extends string> {
  readonly at: number;
  readonly order: readonly SortKey<Field>[];
  readonly after: readonly string[] | undefined;
  readonly limit: number;
}

/** Answers an operation about a market: one page of a walk. @throws Refusal */
export function answerPage<Field extends string, Row>(
  operation: MarketOperation<Field, Row>,
  query: URLSearchParams,
  { market, sealer }: MarketWorld,
): Promise<DataAnswer> {
  const { of } = operation;
  const walk = walkIn(of, query, market, sealer);
  const { filters, limit } = readQuestion(operation, query, walk);
  operation.check?.(filters, limit);
  const order = operation.order(filters);
  return market.read(async (reads) => {
    const asked = operation.asOf?.(filters);
    const upTo = operation.upTo?.(filters, walk?.after) ?? asked;
    const { head, pinned, at } = await openMarket(market, reads, { walk, at: asked, upTo });
    const page = { at, order, after: walk?.after };
    const found = limit === 0 ? [] : await operation.read(reads, filters, { ...page, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const next: MarketWalk | undefined =
      found.length > limit && last !== undefined
        ? {
            of: `market ${of}`,
            build: market.build,
            filters,
            pinned,
            seen: { number: head.number, hash: head.hash },
            after: order.map(({ field }) => String(operation.keyOf(last, field) ?? 0)),
          }
        : undefined;
    const body = {
      data: rows.map((row) => operation.itemOf(row)),
      limit,
      next_cursor: next ? sealer.seal(next) : null,
    };
    // A page with a long cache time must not lead to a walk whose block is gone by that time.
    const isFinal = upTo !== undefined && upTo <= head.number - market.depth && !next;
    return answerOf(body, [{ chain: market.chain, block: pinned }], isFinal ? "final" : "head");
  });
}

function walkIn(
  of: MarketList,
  query: URLSearchParams,
  { build }: Market,
  sealer: Sealer,
): MarketWalk | undefined {
  const cursor = query.get("cursor");
  if (cursor === null || cursor === "") return undefined;
  const walk = sealer.open(cursor) as MarketWalk | undefined;
  if (walk?.of !== `market ${of}`)
    throw new Refusal("INVALID_CURSOR", `The cursor is not the next_cursor of a page of market ${of}.`);
  if (walk.build !== build)
    throw new Refusal(
      "INVALID_CURSOR",
      "The cursor is of another build of the market. Start again without it.",
    );
  return walk;
}

/** Reads a request: the filters of the walk, and the rows of a page. @throws Refusal */
function readQuestion<Field extends string, Row>(
  { parameters, settle }: MarketOperation<Field, Row>,
  query: URLSearchParams,
  walk: MarketWalk | undefined,
): { readonly filters: Filters; readonly limit: number } {
  // Later pages may leave out all parameters.
  const accepted = walk
    ? Object.fromEntries(
        Object.entries(parameters).map(([name, { required: _, ...parameter }]) => [name, parameter]),
      )
    : parameters;
  const given = readParameters(accepted, query) as Given<Parameters>;
  const { cursor: _, limit = usualLimit, ...own } = given;
  const settled = settle(own as Filters);
  const asked = Object.fromEntries(Object.entries(settled).filter(([name]) => own[name] !== undefined));
  return {
    filters: walk ? adoptFilters(walk.filters, asked) : settled,
    limit: Math.min(Number(limit), largestLimit),
  };
}
