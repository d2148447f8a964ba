import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { onPglite } from "../../support/database/databases.js";
import { type IndexedShop, useShops } from "./shop.js";

const anvil = useAnvil();
const openShop = useShops(anvil);
const databases = onPglite();
let database: Database;
beforeEach(async () => {
  database = await databases.fresh();
  await migrate(database);
});

const hour = 3600;
const micros = (seconds: number): string => `${seconds}000000`;

/** Returns a function that sets the time of the next block, in seconds after the coming midnight. */
async function clock(): Promise<(seconds: number) => Promise<void>> {
  const { timestamp } = await anvil().rpc<{ timestamp: string }>("eth_getBlockByNumber", "latest", false);
  const midnight = (Math.floor(Number(timestamp) / (24 * hour)) + 1) * 24 * hour;
  return async (seconds) => {
    await anvil().rpc("evm_setNextBlockTimestamp", midnight + seconds);
  };
}

async function stats(shop: IndexedShop, rest: string): Promise<unknown> {
  const fields = "id timestamp item { id } count total ever latest";
  const { data, errors } = await shop.query(`{ saleStats_collection(${rest}) { ${fields} } }`);
  expect(errors).toBeUndefined();
  return data?.saleStats_collection;
}

describe("aggregations of a subgraph built by graph build", () => {
  it("are computed when blocks close an hour or a day", async () => {
    const shop = await openShop();
    const at = await clock();
    const sellAt = async (seconds: number, item: string, amount: number): Promise<number> => {
      await at(seconds);
      return shop.sell(item, amount);
    };
    const first = await sellAt(600, "cup", 5);
    await sellAt(1200, "", 2);
    const third = await sellAt(1800, "cup", 7);
    const indexed = await shop.in(database, "QmSales");
    await indexed.run();
    const { data } = await indexed.query("{ sales(orderBy: id) { id timestamp item { id } amount } }");
    const [{ timestamp: begun = "" } = {}] = (data?.sales ?? []) as { timestamp?: string }[];
    const midnight = Number(BigInt(begun) / 1_000_000n) - 600;
    const idAt = (block: number): string => String(BigInt(block) << 32n);
    expect(data).toEqual({
      sales: [
        { id: idAt(first), timestamp: micros(midnight + 600), item: { id: "cup" }, amount: "5" },
        { id: idAt(first + 1), timestamp: micros(midnight + 1200), item: null, amount: "2" },
        { id: idAt(third), timestamp: micros(midnight + 1800), item: { id: "cup" }, amount: "7" },
      ],
    });
    expect(await stats(indexed, "interval: hour")).toEqual([]);
    const cups = { item: { id: "cup" }, count: "2", total: "12", ever: "12", latest: "7" };
    const others = { item: null, count: "1", total: "2", ever: "2", latest: "2" };
    const ofFirst = [
      { id: idAt(third), timestamp: micros(midnight), ...cups },
      { id: idAt(first + 1), timestamp: micros(midnight), ...others },
    ];
    expect(await stats(indexed, "interval: hour, current: include")).toEqual(ofFirst);

    // The first block of a later hour closes the previous hour. The hour in between has no entries.
    const fourth = await sellAt(2 * hour + 60, "cup", 1);
    const fifth = await sellAt(2 * hour + 120, "", 3);
    await indexed.run();
    expect(await stats(indexed, "interval: hour")).toEqual(ofFirst);
    expect(await stats(indexed, `interval: hour, block: { number: ${third} }`)).toEqual([]);
    const ofThird = [
      // Sales without an item are not cumulated.
      {
        id: idAt(fifth),
        timestamp: micros(midnight + 2 * hour),
        item: null,
        count: "1",
        total: "3",
        ever: "3",
        latest: "3",
      },
      {
        id: idAt(fourth),
        timestamp: micros(midnight + 2 * hour),
        item: { id: "cup" },
        count: "1",
        total: "1",
        ever: "13",
        latest: "1",
      },
    ];
    expect(await stats(indexed, "interval: hour, current: include")).toEqual([...ofThird, ...ofFirst]);
    expect(await stats(indexed, "interval: day")).toEqual([]);

    // A day later, the open hour is closed unchanged.
    await at(24 * hour);
    await anvil().mine(1);
    await indexed.run();
    expect(await stats(indexed, "interval: hour")).toEqual([...ofThird, ...ofFirst]);
    expect(await stats(indexed, 'interval: hour, where: { item: "cup" }, first: 1')).toEqual([ofThird[1]]);
    const ofDay = { timestamp: micros(midnight) };
    expect(await stats(indexed, "interval: day")).toEqual([
      { id: idAt(fifth), ...ofDay, item: null, count: "2", total: "5", ever: "5", latest: "3" },
      { id: idAt(fourth), ...ofDay, item: { id: "cup" }, count: "3", total: "13", ever: "13", latest: "1" },
    ]);
  });

  it("are reverted with the block that closed them", async () => {
    const shop = await openShop();
    const at = await clock();
    await at(600);
    await shop.sell("cup", 5);
    const before = await anvil().snapshot();
    await at(hour);
    await shop.sell("cup", 6);
    const indexed = await shop.in(database, "QmSales");
    await indexed.run();
    expect(await stats(indexed, "interval: hour")).toMatchObject([{ total: "5" }]);
    await anvil().revert(before);
    await at(700);
    await shop.sell("cup", 7);
    await anvil().mine(1);
    const { progress } = await indexed.run();
    expect(progress.reverted).toBeGreaterThan(0);
    expect(await stats(indexed, "interval: hour")).toEqual([]);
    expect(await stats(indexed, "interval: hour, current: include")).toMatchObject([{ total: "12" }]);
  });
});
