import { expect, it } from "vitest";
import { createGraphNodeTables } from "../../../src/hosting/graph-node/graph-node-tables.js";
import { SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteName, quoteText } from "../../../src/store/database/quote.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { tableFacts } from "../../../src/store/tables/table-facts.js";
import { onPglite } from "../../support/database/databases.js";

it("the server reads a graph-node deployment's entities from the schema that its catalog names", async () => {
  const database = await onPglite().fresh();
  await migrate(database);
  const schema = "type Swap @entity(immutable: true) { id: ID! }";
  const { namespace } = await openDeployment(database, {
    deployment: "QmMade",
    network: "mainnet",
    schema,
    startBlock: 3,
  });
  // The columns of graph-node 0.39 and later that the program reads.
  await database.run(SQL`
    create table public.deployment_schemas (id integer, subgraph text, name text, network text, active boolean);
    create schema subgraphs;
    create table subgraphs.deployment (id integer, earliest_block_number integer);
    create table subgraphs.head (id integer, block_number numeric, block_hash bytea);
    create table subgraphs.subgraph_manifest (id integer, schema text);
    insert into public.deployment_schemas values (7, 'QmNode', ${quoteText(namespace)}, 'mainnet', true), (8, 'QmNew', 'sgd8', 'mainnet', true);
    insert into subgraphs.deployment values (7, 3), (8, 3);
    insert into subgraphs.head values (7, 12, '\\xabcd'), (8, null, null);
    insert into subgraphs.subgraph_manifest values (7, ${quoteText(schema)}), (8, ${quoteText(schema)});
    insert into ${quoteName(namespace)}.swap (vid, block$, id) values (1, 5, 'a');`);
  try {
    const tables = createGraphNodeTables(database);
    const storage = await tables.storage("QmNode");
    expect(storage?.deployment.head).toEqual({ number: 12, hash: "0xabcd" });
    const facts = storage && (await tableFacts(storage.database, storage.layout));
    expect(facts?.map(({ table, rows }) => [table, rows])).toEqual([["swap", 1n]]);
    expect(await tables.storage("QmNew")).toBeUndefined();
    expect(await tables.storage("QmNone")).toBeUndefined();
    expect(() => storage?.feed("a", ["swap"])).toThrow("cannot follow");
    await tables.verify();
    expect([await tables.knows("QmNone"), await tables.knows("QmNode")]).toEqual([false, true]);
  } finally {
    await database.run(SQL`drop table public.deployment_schemas; drop schema subgraphs cascade`);
  }
});

it("the server reports that a database does not belong to a graph-node", async () => {
  const tables = createGraphNodeTables(await onPglite().fresh());
  await expect(tables.verify()).rejects.toThrow("the database has no graph-node tables");
});
