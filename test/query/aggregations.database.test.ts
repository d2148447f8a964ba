import { beforeAll, expect, test } from "vitest";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import { SQL } from "../../src/store/database/database.js";
import { createTables } from "../../src/store/tables/create-tables.js";
import { layOut } from "../../src/store/tables/lay-out.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { describeDatabases, world } from "../support/database/databases.js";

const schema = `
  type Pool @entity {
    id: ID!
    hours: [Stat!]! @derivedFrom(field: "pool")
  }
  type Trade @entity(timeseries: true) {
    id: Int8!
    timestamp: Timestamp!
    pool: Pool!
    side: String
    price: BigDecimal!
    size: Int!
  }
  type Stat @aggregation(intervals: ["hour"], source: "Trade") {
    id: Int8!
    timestamp: Timestamp!
    pool: Pool!
    side: String
    count: Int! @aggregate(fn: "count")
    all: Int8! @aggregate(fn: "count", cumulative: true)
    sum: BigDecimal! @aggregate(fn: "sum", arg: "price")
    volume: Int8! @aggregate(fn: "sum", arg: "size", cumulative: true)
    open: BigDecimal! @aggregate(fn: "first", arg: "price")
    close: BigDecimal! @aggregate(fn: "last", arg: "price")
    first: BigDecimal! @aggregate(fn: "first", arg: "price", cumulative: true)
    high: Int! @aggregate(fn: "max", arg: "size", cumulative: true)
    low: Int! @aggregate(fn: "min", arg: "size")
    lowest: Int! @aggregate(fn: "min", arg: "size", cumulative: true)
  }
  type Total @aggregation(intervals: ["day"], source: "Trade") {
    id: Int8!
    timestamp: Timestamp!
    sum: BigDecimal! @aggregate(fn: "sum", arg: "price")
  }
  type Scaled @aggregation(intervals: ["hour"], source: "Trade") {
    id: Int8!
    timestamp: Timestamp!
    sum: BigDecimal! @aggregate(fn: "sum", arg: "price * size")
    bought: BigDecimal @aggregate(fn: "sum", arg: "case when side = 'buy' then size end", cumulative: true)
    sold: BigDecimal @aggregate(fn: "sum", arg: "case when side = 'sell' then size end", cumulative: true)
    dearest: BigDecimal! @aggregate(fn: "max", arg: "greatest(price, 2 * size)")
    latest: Int8! @aggregate(fn: "last", arg: "size - 1")
  }
`;

describeDatabases("the bucket that is still filled", ({ fresh }) => {
  let engine: QueryEngine;

  beforeAll(async () => {
    const database = await fresh();
    const layout = layOut(readEntitySchema(schema), "sgd3");
    await database.run(SQL`create extension if not exists btree_gist`);
    await database.run(createTables(layout));
    await database.run(SQL`
      insert into sgd3.pool (vid, block_range, id) values (1, '[1,)', 'a'), (2, '[1,)', 'b');
      insert into sgd3.trade (vid, block$, id, timestamp, pool, side, price, size) values
        (1, 1, 1, '2024-01-01 00:10:00+00', 'a', 'buy', 5, 10),
        (2, 1, 2, '2024-01-01 00:20:00+00', 'a', null, 3, 7),
        (3, 2, 3, '2024-01-01 01:00:01+00', 'a', 'buy', 1.5, 4),
        (4, 2, 4, '2024-01-01 01:10:00+00', 'a', null, 2, 20),
        (5, 3, 5, '2024-01-01 01:20:00+00', 'a', 'buy', 0.25, 6),
        (6, 3, 6, '2024-01-01 01:30:00+00', 'b', 'buy', 9, 1);
      insert into sgd3.stat_hour (block$, id, timestamp, pool, side, count, "all", sum, volume, open, close, first, high, low, lowest)
      values (2, 1, '2024-01-01 00:00:00+00', 'a', 'buy', 1, 1, 5, 10, 5, 5, 5, 10, 10, 10),
        (2, 2, '2024-01-01 00:00:00+00', 'a', null, 1, 1, 3, 7, 3, 3, 3, 7, 7, 7);
      insert into sgd3.scaled_hour (block$, id, timestamp, sum, bought, sold, dearest, latest)
      values (2, 2, '2024-01-01 00:00:00+00', 71, 10, 3, 20, 6)`);
    const head = { number: 5, hash: "0x05" };
    const deployment = {
      id: "QmTrades",
      schema,
      layout,
      state: async () => ({ head, earliestBlock: 0 }),
      blockOfHash: async () => undefined,
    };
    engine = createQueryEngine({ database, deployment, world });
  });

  const all = "id timestamp side count all sum volume open close first high low lowest";
  const hour = "1704070800000000";
  const ofBuyers = {
    id: "5",
    timestamp: hour,
    side: "buy",
    count: 2,
    all: "3",
    sum: "1.75",
    volume: "20",
    open: "1.5",
    close: "0.25",
    first: "5",
    high: 10,
    low: 4,
    lowest: 4,
  };

  test("the engine computes the current bucket by dimension, including earlier totals", async () => {
    const { data, errors } = await engine.execute({
      query: `{ stats(interval: hour, current: include, where: { pool: "a" }, first: 2) { ${all} } }`,
    });
    expect(errors).toBeUndefined();
    // Points without a side belong to no earlier group.
    const ofOthers = { count: 1, all: "1", sum: "2", volume: "20", open: "2", close: "2", first: "2" };
    expect(data).toEqual({
      stats: [ofBuyers, { id: "4", timestamp: hour, side: null, ...ofOthers, high: 20, low: 20, lowest: 20 }],
    });
  });

  test("the engine computes the current bucket as of the queried block", async () => {
    const query = `{ stats(interval: hour, current: include, block: { number: 2 }, first: 1, where: { side: "buy" }) { id count all volume } }`;
    expect((await engine.execute({ query })).data).toEqual({
      stats: [{ id: "3", count: 1, all: "2", volume: "14" }],
    });
  });

  test("the engine returns the current bucket below a parent entity", async () => {
    const query = `{ pools { id hours(interval: hour, current: include, where: { side: "buy" }) { id count all } } }`;
    const { data, errors } = await engine.execute({ query });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      pools: [
        {
          id: "a",
          hours: [
            { id: "5", count: 2, all: "3" },
            { id: "1", count: 1, all: "1" },
          ],
        },
        { id: "b", hours: [{ id: "6", count: 1, all: "1" }] },
      ],
    });
  });

  test("the engine returns one current bucket without dimensions, and none without points", async () => {
    const query = `{ totals(interval: day, current: include) { id sum } none: totals(interval: day, current: include, block: { number: 0 }) { id } }`;
    expect((await engine.execute({ query })).data).toEqual({ totals: [{ id: "6", sum: "20.75" }], none: [] });
  });

  test("the engine computes aggregates over expressions", async () => {
    const query =
      "{ scaleds(interval: hour, current: include) { timestamp sum bought sold dearest latest } closed: scaleds(interval: hour) { id } }";
    const { data, errors } = await engine.execute({ query });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      scaleds: [
        { timestamp: hour, sum: "56.5", bought: "21", sold: "3", dearest: "40", latest: "0" },
        { timestamp: "1704067200000000", sum: "71", bought: "10", sold: "3", dearest: "20", latest: "6" },
      ],
      closed: [{ id: "2" }],
    });
  });

  test.each([
    ["{ totals(interval: day, current: null) { id } }", 3],
    ["query ($c: Aggregation_current) { totals(interval: day, current: $c) { id } }", 35],
  ])("the engine refuses a nullable current argument: %s", async (query, column) => {
    expect((await engine.execute({ query })).errors).toEqual([
      { message: "Invalid value provided for argument `current`: Null", locations: [{ line: 1, column }] },
    ]);
  });

  test("the engine refuses an interval that the aggregation lacks", async () => {
    const { errors } = await engine.execute({ query: "{ stats(interval: day) { id } }" });
    expect(errors?.[0]?.message).toBe("the aggregation Stat has no interval day");
  });
});
