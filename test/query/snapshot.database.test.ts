import { beforeAll, expect, test } from "vitest";
import { catalogDeployment } from "../../src/query/catalog-deployment.js";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import type { Store } from "../../src/runtime/store/store.js";
import { migrate } from "../../src/store/database/migrate.js";
import { layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { openStore } from "../../src/store/entities/open-store.js";
import type { EntityChange, StoreValue } from "../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { describeDatabases, world } from "../support/database/databases.js";

const schema = `
  type Count @entity { id: ID! block: Int! steps: [Step!]! @derivedFrom(field: "count") }
  type Step @entity(immutable: true) { id: ID! count: Count! block: Int! }
`;

describeDatabases("an answer is of one state of the database", ({ fresh }) => {
  let store: Store;
  let engine: QueryEngine;

  const commit = (number: number, fork: number): Promise<void> => {
    const set = (type: string, id: string, count?: string): EntityChange => {
      const entity = new Map<string, StoreValue>([
        ["block", { kind: "Int", value: number }],
        ["id", { kind: "String", value: id }],
      ]);
      if (count !== undefined) entity.set("count", { kind: "String", value: count });
      return { kind: "set", type, id, entity };
    };
    const changes = [set("Count", "all"), set("Step", `${number}-${fork}`, "all")];
    const hash = `0x${String(fork).padStart(4, "0")}${String(number).padStart(60, "0")}`;
    return store.commit({ number, hash }, { changes, dataSources: [] });
  };

  beforeAll(async () => {
    const database = await fresh();
    await migrate(database);
    const opened = await openDeployment(database, {
      deployment: "QmCount",
      network: "mainnet",
      schema,
      startBlock: 1,
    });
    store = openStore(database, opened, {
      entities: readEntitySchema(schema),
      dataSources: [1],
      templates: [],
    });
    engine = createQueryEngine({ database, deployment: catalogDeployment(opened, layoutOf(opened)), world });
    await commit(1, 0);
  });

  test("an answer shows one state while blocks are added and reverted", async () => {
    const query =
      "{ a: counts { block steps(first: 1000) { block } } steps(first: 1000) { id } _meta { block { number hash } } b: counts { block } }";
    let isOver = false;
    const seen = new Set<number>();
    const read = async (): Promise<void> => {
      while (!isOver) {
        const { data, errors } = await engine.execute({ query });
        expect(errors).toBeUndefined();
        const { a, b, steps, _meta } = JSON.parse(JSON.stringify(data));
        const { number } = _meta.block;
        seen.add(number);
        expect([a[0].block, b[0].block, steps.length, a[0].steps.length]).toEqual([
          number,
          number,
          number,
          number,
        ]);
      }
    };
    const write = async (): Promise<void> => {
      let fork = 0;
      for (let number = 2; number <= 60; number++) {
        await commit(number, fork);
        if (number % 10 !== 0 || fork >= 8) continue;
        fork += 1;
        const [, , , , parent] = await store.recentBlocks(5);
        await store.revert(parent);
        number -= 4;
      }
      isOver = true;
    };
    await Promise.all([write(), read(), read(), read()]);
    expect(seen.size).toBeGreaterThan(3);
  });
});
