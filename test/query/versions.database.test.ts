import { beforeAll, describe, expect, test } from "vitest";
import { catalogDeployment } from "../../src/query/catalog-deployment.js";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import { type Database, SQL, type Sql, uncheckedSql } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { quoteName } from "../../src/store/database/quote.js";
import { layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { openStore } from "../../src/store/entities/open-store.js";
import type { EntityChange } from "../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { type MadeValue, madeEntity } from "../support/compiler/made-entity.js";
import { describeDatabases, world } from "../support/database/databases.js";
import type { Sent } from "./recording.js";

const schema = `
  interface Priced { id: Bytes! price: Int! }
  type Token implements Priced @entity { id: Bytes! price: Int! }
  type Coin implements Priced @entity { id: Bytes! price: Int! }
  type Pair @entity { id: ID! token: Token best: Priced tokens: [Token!]! all: [Priced!]! }
`;

/** Token 1 gets a new price in every block, token 2 only in the first, token 3 in every other until block 15. */
const last = 20;
const prices = (block: number): Readonly<Record<string, number | undefined>> => ({
  "0x01": block,
  "0x02": 1,
  "0x03": block < 15 ? block - (block % 2) || undefined : undefined,
});

describeDatabases("entities of many versions", ({ fresh }) => {
  let database: Database;
  let namespace: string;
  let engine: QueryEngine;
  const sent: Sent[] = [];

  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
    const wanted = { deployment: "QmVersions", network: "mainnet", schema, startBlock: 1 };
    const deployment = await openDeployment(database, wanted);
    const entities = readEntitySchema(schema);
    const store = openStore(database, deployment, { entities, dataSources: [], templates: [] });
    const set = (name: string, values: Readonly<Record<string, MadeValue>>): EntityChange => {
      const type = entities.types.get(name);
      if (!type) throw new Error(`there is no type ${name}`);
      return { kind: "set", type: name, id: String(values.id), entity: madeEntity(type, values) };
    };
    const tokens = ["0x03", "0x01", "0x02", "0x01", "0x0404"];
    for (let number = 1; number <= last; number++) {
      const before = prices(number - 1);
      const changes = Object.entries(prices(number)).flatMap(([id, price]): EntityChange[] => {
        if (number > 1 && price === before[id]) return [];
        return [price === undefined ? { kind: "remove", type: "Token", id } : set("Token", { id, price })];
      });
      changes.push(set("Coin", { id: "0xc0", price: -number }));
      if (number === 1) {
        changes.push(
          set("Pair", { id: "a", token: "0x01", best: "0xc0", tokens, all: [...tokens, "0xc0"] }),
          set("Pair", { id: "b", token: "0x03", best: "0x01", tokens: [] }),
          set("Pair", { id: "c", token: "0x02", tokens: ["0x02"] }),
        );
      }
      const block = { number, hash: `0x${number}`, parentHash: `0x${number - 1}`, timestamp: 1n };
      await store.commit(block, { changes, dataSources: [] }, { more: number < last });
    }
    await store.flush?.();
    ({ namespace } = deployment);
    const layout = layoutOf(deployment);
    engine = createQueryEngine({
      database: recorded(database, sent),
      deployment: catalogDeployment(deployment, layout),
      world,
    });
  });

  test("the engine returns referenced entities as they were at each block", async () => {
    const query = `query At($block: Int!) {
      pairs(block: { number: $block }) {
        token { price }
        best { __typename price }
        tokens(orderBy: price) { id price }
        all(where: { price_lt: 2 }, orderBy: id, orderDirection: desc, first: 2) { id }
        page: tokens(skip: 1, first: 1) { id }
      }
    }`;
    for (let number = 1; number <= last; number++) {
      const answer = await engine.execute({ query, variables: { block: number } });
      expect([number, answer.errors, answer.data]).toEqual([number, undefined, { pairs: pairsAt(number) }]);
    }
  });

  describe("few referenced entities", () => {
    beforeAll(async () => {
      await database.run(SQL`
        insert into ${quoteName(namespace)}.token (vid, block_range, id, price)
        select n, '[1,)', int4send(n::int), n from generate_series(2000000000, 2000005000) n;
        analyze ${quoteName(namespace)}.token; analyze ${quoteName(namespace)}.pair`);
    });

    test.each([
      ["one reference", "token { price }"],
      ["a list of references", "tokens { price }"],
    ])("looks up %s only in the index of ids", async (_, field) => {
      await engine.execute({ query: `{ pairs(where: { id: "c" }) { ${field} } }` });
      const { statement, parameters } = sent.at(-1) ?? { statement: "" };
      const plan = await database.query(
        SQL`explain (analyze, timing off) ${uncheckedSql(statement)}`,
        parameters,
      );
      const lines = plan.map((row) => Object.values(row).join());
      const using = (index: RegExp): string => lines.find((line) => index.test(line)) ?? "";
      expect(using(/Backward using attr_\d+_0_token_id on token/)).toContain("actual rows=1");
      expect(using(/token_id_block_range_excl/)).toContain("never executed");
    });
  });
});

/** A database that records the statements of its transactions. */
function recorded(database: Database, sent: Sent[]): Database {
  const transaction: Database["transaction"] = (work, options) =>
    database.transaction((sql) => {
      const query: Sql["query"] = (statement, parameters = []) => {
        sent.push({ statement, parameters });
        return sql.query(statement, parameters);
      };
      return work({ query, run: sql.run });
    }, options);
  return Object.assign(Object.create(database), { transaction });
}

/** The fields selected on pairs. */
function pairsAt(block: number): unknown {
  const known = Object.entries(prices(block)).flatMap(([id, price]) =>
    price === undefined ? [] : [{ id, price }],
  );
  const priceOf = (id: string): unknown =>
    known.filter((one) => one.id === id).map(({ price }) => ({ price }))[0];
  const cheap = known.filter(({ price }) => price < 2).map(({ id }) => ({ id }));
  const one = { __typename: "Token", price: block };
  const none = { all: [], page: [] };
  return [
    {
      token: priceOf("0x01"),
      best: { __typename: "Coin", price: -block },
      tokens: known.toSorted((a, b) => a.price - b.price || (a.id < b.id ? -1 : 1)),
      all: [{ id: "0xc0" }, ...cheap.toReversed()].slice(0, 2),
      page: known.slice(1, 2).map(({ id }) => ({ id })),
    },
    { token: priceOf("0x03") ?? null, best: one, tokens: [], ...none },
    { token: { price: 1 }, best: null, tokens: [{ id: "0x02", price: 1 }], ...none },
  ];
}
