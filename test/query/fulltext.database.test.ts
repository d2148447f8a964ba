import { expect, test } from "vitest";
import { createQueryEngine } from "../../src/query/engine.js";
import { migrate } from "../../src/store/database/migrate.js";
import { layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { openStore } from "../../src/store/entities/open-store.js";
import type { StoreValue } from "../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { describeDatabases, world } from "../support/database/databases.js";

const schema = `
  type _Schema_ @fulltext(name: "find", language: en, algorithm: rank,
    include: [{ entity: "P", fields: [{ name: "one" }, { name: "two" }] }])
  type P @entity(immutable: false) { id: ID!, one: String, two: String }
`;

describeDatabases("a full-text search", ({ fresh }) => {
  test("a search treats null as an empty text", async () => {
    const database = await fresh();
    await migrate(database);
    const opened = await openDeployment(database, {
      deployment: "QmFind",
      network: "mainnet",
      schema,
      startBlock: 1,
    });
    const entities = readEntitySchema(schema);
    const store = openStore(database, opened, { entities, dataSources: [1], templates: [] });
    const rows = [
      ["a", "red", undefined],
      ["b", "blue", undefined],
      ["c", undefined, undefined],
      ["d", "", ""],
      ["e", undefined, "red"],
    ] as const;
    const changes = rows.map(([id, ...texts]) => {
      const fields = [id, ...texts].map((value, index): [string, StoreValue] => [
        ["id", "one", "two"][index] ?? "",
        value === undefined ? { kind: "Null" } : { kind: "String", value },
      ]);
      const entity = new Map(fields.filter(([, { kind }]) => kind !== "Null"));
      return { kind: "set", type: "P", id, entity } as const;
    });
    await store.commit({ number: 1, hash: `0x${"1".repeat(64)}` }, { changes, dataSources: [] });
    await store.flush?.();
    const state = async () => ({ head: { number: 1, hash: "0x1" }, earliestBlock: 0 });
    const deployment = {
      id: "QmFind",
      schema,
      layout: layoutOf(opened),
      state,
      blockOfHash: async () => undefined,
    };
    const { data, errors } = await createQueryEngine({ database, deployment, world }).execute({
      query: '{ not: find(text: "!red") { id } either: find(text: "red | !blue") { id } }',
    });
    expect(errors).toBeUndefined();
    const ids = (found: unknown) => (found as { readonly id: string }[]).map(({ id }) => id).sort();
    expect(ids(data?.not)).toEqual(["b", "c", "d"]);
    expect(ids(data?.either)).toEqual(["a", "c", "d", "e"]);
  });
});
