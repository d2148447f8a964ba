import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject } from "../../../src/platform/people/projects.js";
import { addVersion } from "../../../src/platform/subgraphs/versions.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { lockFolder } from "../../../src/store/database/pglite/lock-folder.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { dropDeployment } from "../../../src/store/deployments/drop-deployment.js";
import { openDatabase } from "../../../src/store/open.js";
import {
  bigInt,
  bool,
  bytes,
  decimal,
  int,
  list,
  remove,
  set,
  text,
  timestamp,
} from "../../runtime/store/values.js";
import { serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { type IndexedSubgraph, indexedSubgraph } from "../../support/pipelines/indexed-subgraph.js";
import { makeSubgraphFolder } from "../../support/pipelines/subgraph-folder.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const schema = `
  type Account @entity { id: ID!, balance: BigInt! }
  type Other @entity { id: ID! }
  enum Kind { small large }
  type Typed @entity(immutable: true) {
    id: Bytes!, int: Int!, big: BigInt!, decimal: BigDecimal!, flag: Boolean!, at: Timestamp!, kind: Kind!, of: Account!
    names: [String!]!, numbers: [BigInt!]!, gaps: [String], none: String, blockNumber: BigInt!
  }
`;

if (postgresMissing !== undefined) it.skip(postgresMissing, () => undefined);

describe.runIf(postgresMissing === undefined)("pipeline run with a database of subgraphs", () => {
  let place: string;
  let target: string;
  let database: Database;
  let written: Database;
  let names = 0;

  beforeAll(async () => {
    [place, target] = [await serverDatabase(), await serverDatabase()];
    [database, written] = [await openDatabase(place, world), await openDatabase(target, world)];
    await migrate(database);
    await createProject(database, { id: "project_1", name: "tests" });
  });
  afterAll(async () => {
    await database.close();
    await written.close();
  });

  /** A subgraph under a name of its own. */
  async function named(): Promise<{ readonly name: string; readonly subgraph: IndexedSubgraph }> {
    names += 1;
    const subgraph = await indexedSubgraph(database, schema);
    const name = `pools-${names}`;
    await version(name, "1.0.0", subgraph);
    return { name, subgraph };
  }

  async function version(name: string, number: string, { build }: IndexedSubgraph): Promise<void> {
    await addVersion(database, {
      project: "project_1",
      name,
      version: number,
      deployment: build,
      network: "mainnet",
      description: null,
      engine: "embedded",
      bundle: new Uint8Array(),
    });
  }

  const balance = (id: string, amount: number) => set("Account", id, { balance: bigInt(BigInt(amount)) });

  /** A pipeline of an entity into a table with its name, which ends once it has read everything. */
  function pipeline(
    name: string,
    { entity = "Account", start = "earliest" } = {},
    sink = table(name),
  ): Promise<Ran> {
    return run(definition(name, { entity, start }, sink));
  }

  function definition(
    name: string,
    { entity = "Account", start = "earliest" } = {},
    sink = table(name),
  ): string {
    return `
name: ${name}
job: true
sources: { entity: { type: subgraph_entity, name: ${entity}, start_at: ${start}, subgraphs: [{ name: ${name}, version: 1.0.0 }] } }
sinks: { out: ${sink} }
`;
  }

  const table = (name: string): string =>
    `{ type: postgres, from: entity, table: ${name.replace("-", "_")}, secret_name: TARGET }`;

  function run(yaml: string, more: Parameters<typeof graphloom>[2] = {}): Promise<Ran> {
    const env = { GRAPHLOOM_SECRET_TARGET: target };
    const line = `pipeline run flow.yaml --database ${place}`;
    return graphloom(workplace({ "flow.yaml": yaml }), line, { env, ...more });
  }

  async function rows(name: string): Promise<readonly string[]> {
    const found = await written.query(
      SQL`select id, balance from ${quoteNames("public", name.replace("-", "_"))} order by id`,
    );
    return found.map(({ id, balance: amount }) => `${id} ${amount}`);
  }

  /** How many changes a subgraph keeps for readers, and how many readers it has. */
  async function kept({ part }: IndexedSubgraph): Promise<readonly [changes: number, readers: number]> {
    const { layout, deployment } = part("Account");
    const [row] = await database.query(
      SQL`select (select count(*) from ${quoteNames(layout.namespace, "changes$")}) as changes,
        (select count(*) from graphloom.feed_readers where deployment = $1::integer) as readers`,
      [String(deployment)],
    );
    return [Number(row?.changes), Number(row?.readers)];
  }

  it("INV-P11: keeps changes until every sink has written them, and then deletes them", async () => {
    const { name, subgraph } = await named();
    await subgraph.commit([balance("a", 1), balance("b", 2)]);
    expect(await pipeline(name)).toMatchObject({ code: 0, err: "" });
    expect(await rows(name)).toEqual(["a 1", "b 2"]);
    expect(await kept(subgraph)).toEqual([0, 1]);
    await subgraph.commit([balance("a", 3), remove("Account", "b"), set("Other", "o", {})]);
    await subgraph.commit([balance("c", 4)]);
    expect(await kept(subgraph)).toEqual([4, 1]);
    expect(await pipeline(name)).toMatchObject({ code: 0, err: "" });
    expect(await rows(name)).toEqual(["a 3", "c 4"]);
    expect(await kept(subgraph)).toEqual([0, 1]);
  });

  it("verifies and repairs the rows of an entity, without the changes that the sink has not read", async () => {
    const { name, subgraph } = await named();
    await subgraph.commit([balance("a", 1), balance("b", 2)]);
    const yaml = definition(name);
    const audit = (command: string): Promise<Ran> =>
      graphloom(
        workplace({ "flow.yaml": yaml }),
        `pipeline ${command} flow.yaml --sink out --database ${place}`,
        {
          env: { GRAPHLOOM_SECRET_TARGET: target },
        },
      );
    expect(await run(yaml)).toMatchObject({ code: 0, err: "" });
    await subgraph.commit([balance("a", 3), remove("Account", "b"), balance("c", 4)]);
    expect(await audit("verify")).toMatchObject({
      code: 0,
      err: "",
      out: "out (postgres)\n  entity: 2 rows when the sink read it: the ledger agrees\n  rows: as they should be\n",
    });
    await written.query(SQL`delete from ${quoteNames("public", name.replace("-", "_"))} where id = 'b'`);
    const { code, out } = await audit("verify");
    expect([code, out]).toEqual([4, expect.stringContaining("  rows: 1 missing\n    missing id=b\n")]);
    expect((await audit("repair")).code).toBe(0);
    expect(await rows(name)).toEqual(["a 1", "b 2"]);
  });

  it("adopts a sink after the subgraphs' database has lost its position", async () => {
    const { name, subgraph } = await named();
    await subgraph.commit([balance("a", 1), balance("b", 2)]);
    const yaml = definition(name);
    expect(await run(yaml)).toMatchObject({ code: 0, err: "" });
    await database.query(SQL`delete from graphloom.flow_readings where flow = $1::text`, [name]);
    await subgraph.commit([balance("a", 3), remove("Account", "b"), balance("c", 4)]);
    expect((await run(yaml)).err).toContain("run: graphloom pipeline adopt\n");
    const line = `pipeline adopt flow.yaml --sink out --database ${place}`;
    const env = { GRAPHLOOM_SECRET_TARGET: target };
    const adopted = await graphloom(workplace({ "flow.yaml": yaml }), line, { env });
    expect([adopted.code, adopted.out]).toEqual([
      0,
      expect.stringContaining("1 missing, 1 altered, 1 foreign"),
    ]);
    await subgraph.commit([balance("c", 5)]);
    expect(await run(yaml)).toMatchObject({ code: 0, err: "" });
    expect(await rows(name)).toEqual(["a 3", "c 5"]);
  });

  it("prints all rows in each run, and leaves no reader in the database", async () => {
    const { name, subgraph } = await named();
    await subgraph.commit([balance("a", 1)]);
    for (let time = 0; time < 2; time += 1) {
      const { code, out } = await pipeline(name, { entity: "account" }, "{ type: print, from: entity }");
      expect(code).toBe(0);
      expect(JSON.parse(out)).toEqual({
        op: "i",
        id: "a",
        balance: "1",
        vid: 4294967396,
        block_range: "[1,)",
        block_number: 1,
      });
    }
    expect(await kept(subgraph)).toEqual([0, 0]);
  });

  it("has a type for every field, and fields take precedence over columns of the feed", async () => {
    const { name, subgraph } = await named();
    const fields = {
      id: bytes("0x01ff"),
      int: int(-1),
      big: bigInt(2n ** 200n),
      decimal: decimal(-15n, -20),
      flag: bool(true),
      at: timestamp(1_700_000_000_000_001n),
      kind: text("large"),
      of: text("a"),
      names: list(text('"'), text(",")),
      numbers: list(bigInt(1n)),
      gaps: list(text("a")),
      blockNumber: bigInt(9n),
    };
    await subgraph.commit([set("Typed", "0x01ff", fields)]);
    const { out } = await pipeline(name, { entity: "Typed" }, "{ type: print, from: entity }");
    expect(JSON.parse(out)).toEqual({
      op: "i",
      id: "0x01ff",
      int: -1,
      big: String(2n ** 200n),
      decimal: "-0.00000000000000000015",
      flag: true,
      at: "2023-11-14T22:13:20.000001Z",
      kind: "large",
      of: "a",
      none: null,
      names: ['"', ","],
      numbers: ["1"],
      gaps: ["a"],
      block_number: "9",
      vid: 4294967396,
      block_range: "[1,)",
    });
  });

  it("follows changes until it is interrupted", async () => {
    const { name, subgraph } = await named();
    const yaml = `
name: ${name}
sources: { entity: { type: subgraph_entity, name: Account, subgraphs: [{ name: ${name}, version: 1.0.0 }] } }
sinks: { shown: { type: print, from: entity } }
`;
    await subgraph.commit([balance("a", 1)]);
    const controller = new AbortController();
    const running = run(yaml, { signal: controller.signal, onOut: () => controller.abort() });
    await expect.poll(async () => (await kept(subgraph))[1]).toBe(1);
    await subgraph.commit([balance("a", 2)]);
    const { code, out } = await running;
    expect(code).toBe(130);
    expect(JSON.parse(out)).toMatchObject({ op: "u", id: "a", balance: "2" });
    expect(await kept(subgraph)).toEqual([0, 0]);
  });

  it("writes changes from between two runs, even if the first run found no rows", async () => {
    const { name, subgraph } = await named();
    await subgraph.commit([balance("a", 1), balance("b", 1)]);
    const latest = { entity: "Account", start: "latest" };
    expect(await pipeline(name, latest)).toMatchObject({ code: 0, err: "" });
    await subgraph.commit([balance("b", 2)]);
    expect(await pipeline(name, latest)).toMatchObject({ code: 0, err: "" });
    expect(await rows(name)).toEqual(["b 2"]);
  });

  it("says why a subgraph has no changes", async () => {
    const { name, subgraph } = await named();
    await subgraph.commit([balance("a", 1)]);
    await database.query(SQL`update graphloom.versions set is_paused = true where name = $1::text`, [name]);
    await database.query(
      SQL`update graphloom.deployments set fatal_error = '{"message": "out of memory"}' where deployment = $1::text`,
      [subgraph.build],
    );
    const { code, err } = await pipeline(name);
    expect(code).toBe(0);
    expect(err).toContain(`${name} 1.0.0 is paused, so it has no changes until it is resumed.\n`);
    expect(err).toContain(`${name} 1.0.0 is not being indexed, so it has no changes: out of memory\n`);
    expect(await rows(name)).toEqual(["a 1"]);
  });

  it("stops with the reason when the changes cannot be followed", async () => {
    const { name, subgraph } = await named();
    const anew = "To start over, write to another table, or drop this one.\n";
    await subgraph.commit([balance("a", 1)]);
    expect((await pipeline(name)).code).toBe(0);

    const { id } = await reader(subgraph);
    await database.query(SQL`update graphloom.feed_readers set seq = seq + 1 where name = $1::text`, [id]);
    expect(await pipeline(name)).toMatchObject({
      code: 1,
      err: `Sink out has stopped: ${name} 1.0.0 cannot be followed. Changes that were not read yet are gone, because they were confirmed elsewhere. ${anew}`,
    });
    await database.query(SQL`delete from graphloom.feed_readers where name = $1::text`, [id]);
    expect((await pipeline(name)).err).toBe(
      `Sink out has stopped: ${name} 1.0.0 cannot be followed. Its changes were not kept, because the reader was removed. ${anew}`,
    );
    const other = await indexedSubgraph(database, schema);
    await database.query(
      SQL`insert into graphloom.builds (deployment, bundle, network, engine) values ($1::text, '', 'mainnet', 'embedded')`,
      [other.build],
    );
    await database.query(SQL`update graphloom.versions set deployment = $1::text where name = $2::text`, [
      other.build,
      name,
    ]);
    expect((await pipeline(name)).err).toBe(
      `Sink out has stopped: Sink out holds rows of build ${subgraph.build}, which source entity does not read any more: its subgraph was deployed again, deleted, or removed from the definition. ${anew}`,
    );
    await database.query(SQL`delete from graphloom.flow_readings where flow = $1::text`, [name]);
    expect((await pipeline(name)).err).toContain(
      `Sink out has stopped: The database of the subgraphs does not know how far sink out has read source entity: it is another database, one of the two was restored from a backup, or the reading was ended. To go on with the rows that the sink has, run: graphloom pipeline adopt\n`,
    );
    await dropDeployment(database, other.build);
    expect((await pipeline(name)).err).toContain("its indexing has not begun; start the server");
    expect(await rows(name)).toEqual(["a 1"]);
  });

  async function reader({ part }: IndexedSubgraph): Promise<{ readonly id: string }> {
    const [row] = await database.query(
      SQL`select name from graphloom.feed_readers where deployment = $1::integer`,
      [String(part("Account").deployment)],
    );
    return { id: row?.name ?? "" };
  }

  it("continues at the position of the sink's other table, and removes readers that no pipeline uses", async () => {
    const { name, subgraph } = await named();
    await subgraph.commit([balance("a", 1)]);
    expect((await pipeline(name)).code).toBe(0);
    await written.query(SQL`drop table ${quoteNames("public", name.replace("-", "_"))}`);
    expect((await pipeline(name)).code).toBe(0);
    expect(await rows(name)).toEqual(["a 1"]);
    expect((await kept(subgraph))[1]).toBe(2);
    await database.query(
      SQL`update graphloom.flow_readings set read_at = now() - interval '2 days' where flow = $1::text`,
      [name],
    );
    await written.query(SQL`drop table ${quoteNames("public", name.replace("-", "_"))}`);
    expect((await pipeline(name)).code).toBe(0);
    expect((await kept(subgraph))[1]).toBe(1);
  });

  it("refuses a sink that only adds rows, and a place that is not a database", async () => {
    const { name } = await named();
    const { code, err } = await pipeline(
      name,
      { entity: "Account" },
      "{ type: file, from: entity, path: ./out, finalized: true }",
    );
    expect(code).toBe(1);
    expect(err).toContain('sink "out" only adds rows, and entities are updated in final blocks, too');
    const yaml =
      "name: a\nsources: { e: { type: subgraph_entity, name: A, subgraphs: [{ name: a, version: 1.0.0 }] } }\nsinks: { o: { type: print, from: e } }\n";
    const cwd = workplace({ "flow.yaml": yaml });
    const none = await graphloom(cwd, "pipeline run flow.yaml --data nowhere");
    expect([none.code, none.err]).toEqual([
      3,
      "The database of the subgraphs cannot be read: there is no database of graphloom at this place. Pass the one that run, dev or serve keeps.\n",
    ]);
    expect((await graphloom(cwd, "pipeline run flow.yaml")).code).toBe(2);
  });

  it("reads a folder to its end, and says who is using it", async () => {
    const yaml = `
name: folder
sources: { entity: { type: subgraph_entity, name: Transfer, start_at: earliest, subgraphs: [{ name: token-base, version: 1.0.0 }] } }
sinks: { shown: { type: print, from: entity } }
`;
    const cwd = workplace({ "flow.yaml": yaml });
    const data = join(cwd, "kept/database");
    await makeSubgraphFolder(data);
    const line = "pipeline run flow.yaml --data kept";
    const release = lockFolder(data, join(data, "lock"));
    const { code, err } = await graphloom(cwd, line);
    release();
    expect(code).toBe(3);
    expect(err).toMatch(
      /^The database of the subgraphs cannot be read: the database in \S+ is in use by .*\. Only one process can use a folder\. Stop that one, or let it keep the subgraphs in a PostgreSQL server/,
    );
    expect(await graphloom(cwd, line)).toMatchObject({ code: 0, out: "" });
  });
});
