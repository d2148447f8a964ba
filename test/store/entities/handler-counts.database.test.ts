import { beforeAll, beforeEach, expect, it } from "vitest";
import type { BlockWrites, HandlerRuns, Store, WrittenBlock } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { readHandlerCounts, readStorers } from "../../../src/store/deployments/handler-counts.js";
import { describeDatabases } from "../../support/database/databases.js";
import { makeStore } from "./make-store.js";

const blockAt = (number: number, fork = "a"): WrittenBlock => ({ number, hash: `0x${fork}${number}` });
const runs = (
  handler: string,
  count: number,
  stored: Readonly<Record<string, number>> = {},
  source = "Pool",
): HandlerRuns => ({ source, handler, count, stored: new Map(Object.entries(stored)) });
const writes = (...all: readonly HandlerRuns[]): BlockWrites => ({ changes: [], dataSources: [], runs: all });

describeDatabases("the counts of handlers", ({ fresh }) => {
  let database: Database;
  let store: Store;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });
  beforeEach(async () => {
    store = await makeStore(database, "type Swap @entity { id: ID! }");
  });

  const idOf = async (): Promise<number> => {
    const [row] = await database.query(SQL`select id from graphloom.deployments`);
    return Number(row?.id);
  };
  const read = async () => readHandlerCounts(database, await idOf());
  /** The counts by handler and type. */
  const counts = async () =>
    Object.fromEntries(
      ((await read())?.counts ?? []).map(({ source, handler, type, count }) => [
        `${source} ${handler} ${type}`,
        Number(count),
      ]),
    );

  it("handler counts add up over blocks, whether these are written one at a time or together", async () => {
    expect(await read()).toEqual({ counts: [] });
    expect(await readHandlerCounts(database, 4_711)).toBeUndefined();
    await store.commit(blockAt(1), writes(runs("onSwap", 2, { Swap: 2, Pool: 1 })));
    const held = writes(runs("onSwap", 1, { Swap: 1 }), runs("onSwap", 5, {}, "Other"));
    await store.commit(blockAt(2), held, { more: true });
    await store.commit(blockAt(3), held);
    expect(await counts()).toEqual({
      "Pool onSwap ": 4,
      "Pool onSwap Swap": 4,
      "Pool onSwap Pool": 1,
      "Other onSwap ": 10,
    });
  });

  it("handler counts tell which handlers have stored a type, and which did so in a block near the head", async () => {
    await store.commit(blockAt(1), writes(runs("onSwap", 2, { Swap: 2 }), runs("onMint", 1, { Mint: 1 })));
    const isNearHead = true;
    await store.commit(blockAt(2), writes(runs("onBurn", 1, { Swap: 1 }), runs("onSwap", 1)), { isNearHead });
    await store.commit(blockAt(3), writes(runs("onMint", 1, { Mint: 1 })), { isNearHead });
    const [burn, swap] = ["onBurn", "onSwap"].map((handler) => ({ source: "Pool", handler }));
    const storers = () => idOf().then((id) => readStorers(database, id, "Swap", [1, 2, 3, 9]));
    expect(await storers()).toEqual({
      all: [burn, swap],
      blocks: new Map([
        [2, [burn]],
        [3, []],
      ]),
    });
    await store.revert(blockAt(1));
    expect(await storers()).toEqual({ all: [swap], blocks: new Map() });
    expect(await readStorers(database, 4_711, "Swap", [])).toBeUndefined();
  });

  it("handler counts are reduced by a reorganisation", async () => {
    for (let number = 1; number <= 5; number += 1)
      await store.commit(
        blockAt(number),
        number === 4
          ? { changes: [], dataSources: [] }
          : writes(runs("onSwap", number, { Swap: 10 * number })),
        { isNearHead: number > 2 },
      );
    await store.revert(blockAt(2));
    expect(await counts()).toEqual({ "Pool onSwap ": 3, "Pool onSwap Swap": 30 });
    await store.commit(blockAt(3, "b"), writes(runs("onSwap", 1)), { isNearHead: true });
    expect(await counts()).toEqual({ "Pool onSwap ": 4, "Pool onSwap Swap": 30 });
    expect((await read())?.after).toBeUndefined();
    await store.revert(undefined);
    expect(await read()).toEqual({ counts: [] });
  });

  it.each([
    ["a block that is no longer remembered", true],
    ["a block that was followed by one far from the chain's head", false],
  ])("handler counts restart after %s", async (_, isNearHead) => {
    for (let number = 1; number <= 3; number += 1)
      await store.commit(blockAt(number), writes(runs("onSwap", 1)), { isNearHead });
    if (isNearHead) await database.query(SQL`delete from graphloom.recent_blocks where number < 3`);
    await store.revert(blockAt(1));
    await store.commit(blockAt(2, "b"), writes(runs("onSwap", 7)));
    expect(await read()).toMatchObject({ after: 1, counts: [{ handler: "onSwap", count: 7n }] });
  });

  it("handler counts begin after the blocks of an older version, and earlier if those are reverted", async () => {
    for (let number = 1; number <= 3; number += 1) await store.commit(blockAt(number), writes());
    await database.query(SQL`update graphloom.deployments set counted_after = 3`);
    for (const number of [4, 5])
      await store.commit(blockAt(number), writes(runs("onSwap", 1)), { isNearHead: true });
    expect(await read()).toMatchObject({ after: 3, counts: [{ count: 2n }] });
    await store.revert(blockAt(4));
    expect(await read()).toMatchObject({ after: 3, counts: [{ count: 1n }] });
    await store.revert(blockAt(2));
    expect(await read()).toEqual({ after: 2, counts: [] });
  });

  it("handler counts have the rate of the last minute", async () => {
    const rate = async (): Promise<number> => (await read())?.counts[0]?.perSecond ?? Number.NaN;
    const age = (): Promise<unknown> =>
      database.query(SQL`update graphloom.handler_counts set minute = minute - 1`);
    await store.commit(blockAt(1), writes(runs("onSwap", 600)));
    expect(await rate()).toBeGreaterThan(5);
    expect(await rate()).toBeLessThanOrEqual(10);
    await age();
    expect(await rate()).toBeLessThanOrEqual(10);
    await store.commit(blockAt(2), writes(runs("onSwap", 60)));
    expect(await rate()).toBeGreaterThanOrEqual(1);
    expect(await rate()).toBeLessThanOrEqual(11);
    await age();
    await age();
    expect(await rate()).toBe(0);
  });

  it("handler counts leave out names that an index has no room for, and keep any others", async () => {
    const odd = 'a "b" \\ {c},\0\ud800';
    await store.commit(
      blockAt(1),
      writes(runs("onSwap", 1, {}, "x".repeat(10_000)), runs(odd, 2, { Swap: 1 }, odd)),
    );
    const kept = 'a "b" \\ {c},\u2400\ufffd';
    expect(await counts()).toEqual({ [`${kept} ${kept} `]: 2, [`${kept} ${kept} Swap`]: 1 });
    await store.revert(undefined);
  });
});
