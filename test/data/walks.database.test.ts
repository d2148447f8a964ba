import { afterAll, beforeAll, expect, it } from "vitest";
import { readTableToImport } from "../../src/data/catalog/import-table.js";
import { createDataService, type DataService } from "../../src/data/service/data-service.js";
import { type Asked, ask, dataKey } from "../support/data/asked.js";
import { type MadeChain, type MadeTransfer, timeOf } from "../support/data/made-chain.js";
import { describeRows, type MadeRows } from "../support/data/made-rows.js";
import { type Draw, drawFrom } from "../support/pool/draw.js";

const address = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;
const [wallet, other, native] = [address(1), address(2), address(0)];
const tokens = [0xa1, 0xa2, 0xa3, 0xa4, 0xa5].map(address);
const now = (timeOf(40) + 30) * 1000;
/** What all tokens begin with, so that no sum falls below zero. */
const plenty = 1_000_000n;
/** The last block of each chain that no reorganisation replaces. */
const final = 5;

type Query = Readonly<Record<string, string | number | boolean>>;

const walks: readonly (readonly [path: string, query: Query])[] = [
  ["/feeds/wallets/transfers", { address: wallet, include_unknown_price: true }],
  ["/feeds/wallets/transfers", { address: wallet, chains: "base", direction: "in" }],
  [
    "/feeds/wallets/balances",
    { address: wallet, token_address: tokens.join(","), include_unknown_price: true },
  ],
  ["/feeds/wallets/balances", { address: wallet, token_address: tokens.join(","), include_historical: true }],
];

describeRows("the pages of wallets", (fresh) => {
  let rows: MadeRows;
  let service: DataService;
  const chains = new Map<string, MadeChain>();

  beforeAll(async () => {
    const made = await fresh();
    rows = made.rows;
    // Two are at par, so that values tie; one has no price, and two are not known at all.
    const facts = tokens
      .slice(0, 3)
      .flatMap((token, index) =>
        ["ethereum", "base"].map((chain) => `${chain},${token},6,${index === 2 ? "third" : ""},${index < 2}`),
      );
    await readTableToImport(`chain,token,decimals,canonical_id,stable\n${facts.join("\n")}\n`).write(
      made.database,
    );
    service = createDataService({ store: rows.store(), key: dataKey, now: () => now });
    for (const chain of ["ethereum", "base"]) {
      const first: MadeChain = { chain, head: final, final };
      chains.set(chain, first);
      await rows.makeChain(first);
      await rows.putTransfers(chain, [
        ...tokens.map((token, log) => ({
          block: 1,
          transaction: 0,
          log,
          from: other,
          to: wallet,
          token,
          amount: plenty,
        })),
        { block: 2, transaction: 0, from: other, to: wallet, token: native, amount: 9n },
        { block: 2, transaction: 1, from: wallet, to: wallet, token: native, amount: 9n },
      ]);
    }
  });

  afterAll(() => rows.drop("ethereum", "base"));

  /** Adds blocks to a chain, with transfers of the wallet, to itself and equal ones too. */
  async function grow(
    draw: Draw,
    chain: string,
    blocks: number,
    branch = chains.get(chain)?.branch,
  ): Promise<void> {
    const { head } = chains.get(chain) ?? { head: final };
    const transfers = Array.from({ length: blocks }, (_, index) =>
      transfersOf(draw, head + 1 + index),
    ).flat();
    await rows.putTransfers(chain, transfers);
    const grown: MadeChain = { chain, head: head + blocks, final, ...(branch && { branch }) };
    chains.set(chain, grown);
    await rows.makeChain(grown);
  }

  /** Replaces the blocks of a chain from one on. */
  async function reorganise(draw: Draw, chain: string, from: number): Promise<void> {
    const { head, branch } = chains.get(chain) ?? { head: from };
    await rows.cutTransfers(chain, from - 1);
    chains.set(chain, { chain, head: from - 1, final });
    const name = `branch ${draw.below(1_000_000)}`;
    await grow(draw, chain, Math.max(1, head - from + draw.below(3)), { name, from, of: branch });
  }

  it("a walk returns each row once, forwards and backwards, while rows are written and replaced", async () => {
    const draw = drawFrom(1);
    const outcomes = { whole: 0, ended: 0 };
    for (const [path, query] of walks) {
      for (const chain of chains.keys()) await grow(draw, chain, 3);
      outcomes[await walk(draw, path, query)] += 1;
    }
    expect(outcomes.whole).toBeGreaterThan(0);
    expect(outcomes.ended).toBeGreaterThan(0);
  });

  /** Walks to the end and back to the beginning, with turns, and holds each page against one answer at the beginning. */
  async function walk(draw: Draw, path: string, query: Query): Promise<"whole" | "ended"> {
    const whole = await ask(service, path, { ...query, page_size: 1_000 });
    expect(whole.status).toBe(200);
    const all: readonly unknown[] = whole.body.data;
    expect(all.length).toBeGreaterThan(3);
    const pinned = new Map(chains);
    const isOf = (chain: string): boolean => query.chains === undefined || query.chains === chain;
    const replaced = new Set<string>();
    const change = async (): Promise<void> => {
      const chain = draw.one([...chains.keys()]);
      const { head } = chains.get(chain) ?? { head: final };
      if (draw.happens(0.8)) return grow(draw, chain, 1);
      const from = Math.max(final + 1, head - draw.below(4));
      await reorganise(draw, chain, from);
      if (from <= (pinned.get(chain)?.head ?? 0) && isOf(chain)) replaced.add(chain);
    };
    const isPage = ({ body, headers }: Asked, from: number, size: number): void => {
      const to = Math.min(all.length, from + size);
      expect(body.data).toEqual(all.slice(from, to));
      const { next_page_token: next, prev_page_token: prev } = body.pagination;
      expect([from, to, next === null, prev === null]).toEqual([from, to, to === all.length, from === 0]);
      expect(headers["x-blocks"]).toBe(whole.headers["x-blocks"]);
      if (path.endsWith("balances")) expect(body.total_value_usd).toBe(whole.body.total_value_usd);
    };
    const size = (): number => 1 + draw.below(4);
    let [from, count] = [0, size()];
    let page = await ask(service, path, { ...query, page_size: count });
    isPage(page, from, count);
    for (let isBack = false; !(isBack && from === 0); ) {
      if (draw.happens(0.5)) await change();
      const end = Math.min(all.length, from + count);
      if (end === all.length) isBack = true;
      // Now and then, a page in the other direction.
      const turns = draw.happens(0.2) && (isBack ? end < all.length : from > 0);
      const goesBack = isBack !== turns;
      count = size();
      const { next_page_token: next, prev_page_token: prev } = page.body.pagination;
      page = await ask(service, path, { page_token: goesBack ? prev : next, page_size: count });
      if (replaced.size > 0) {
        const { status, body } = page;
        expect([status, body.error?.code]).toEqual([410, "REORGANISED"]);
        expect([...replaced]).toEqual(expect.arrayContaining(body.error.chains));
        return "ended";
      }
      expect([path, page.status]).toEqual([path, 200]);
      const start = goesBack ? Math.max(0, from - count) : end;
      count = goesBack ? from - start : count;
      from = start;
      isPage(page, from, count);
    }
    return "whole";
  }
});

function transfersOf(draw: Draw, block: number): readonly MadeTransfer[] {
  return Array.from({ length: draw.below(4) }, (_, log) => {
    const [from, to] = draw.one([
      [wallet, other],
      [other, wallet],
      [wallet, wallet],
    ]) as [string, string];
    // Small and few, so that transfers and values are equal now and then.
    const amount = BigInt(draw.below(3));
    return { block, transaction: log >> 1, log, from, to, token: draw.one(tokens), amount };
  });
}
