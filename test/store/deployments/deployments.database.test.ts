import { beforeEach, describe, expect, test } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { type Migration, migrate, readMigrations } from "../../../src/store/database/migrate.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { findDeployment, layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { describeDatabases } from "../../support/database/databases.js";

const schema = "type Token @entity { id: ID!, name: String }";
const build = (deployment: string) => ({ deployment, network: "mainnet", schema, startBlock: 7 });

describeDatabases("migrations", ({ bare }) => {
  let database: Database;
  beforeEach(async () => {
    database = await bare();
  });
  const run = async () =>
    (await database.query(SQL`select number, name from graphloom.migrations order by number`)).map(
      ({ number, name }) => `${number} ${name}`,
    );

  test("the store runs each migration once, even if several processes start at the same time", async () => {
    await Promise.all(Array.from({ length: 8 }, () => migrate(database)));
    await migrate(database);
    expect(await run()).toEqual(readMigrations().map(({ number, name }) => `${number} ${name}`));
  });

  const one: Migration = { number: 1, name: "one", script: SQL`create table graphloom.one (n integer)` };
  const two: Migration = { number: 2, name: "two", script: SQL`create table graphloom.two (n integer)` };

  test("the store runs only new migrations, in order", async () => {
    await migrate(database, [one]);
    await migrate(database, [one, two]);
    expect(await run()).toEqual(["1 one", "2 two"]);
    await database.query(SQL`select n from graphloom.two`);
  });

  test("a failed migration leaves nothing behind", async () => {
    const broken = {
      number: 2,
      name: "broken",
      script: SQL`create table graphloom.three (n integer); select nothing`,
    };
    await expect(migrate(database, [one, broken])).rejects.toMatchObject({ code: "42703" });
    expect(await database.query(SQL`select 1 from pg_namespace where nspname = 'graphloom'`)).toEqual([]);
  });

  test("the store refuses a database that a newer version has migrated", async () => {
    await migrate(database, [one, two]);
    await expect(migrate(database, [one])).rejects.toMatchObject({
      message: "another version of graphloom has migrated the database (2 two)",
      hint: "Use that version, or choose another database.",
    });
  });
});

test("migrations are numbered without gaps", () => {
  const numbers = readMigrations().map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers.length).toBeGreaterThan(0);
});

describeDatabases("deployments", ({ fresh }) => {
  let database: Database;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
  });

  test("the store creates one deployment for a build, with separate tables", async () => {
    const [one, same, other] = await Promise.all([
      openDeployment(database, build("QmOne")),
      openDeployment(database, build("QmOne")),
      openDeployment(database, build("QmTwo")),
    ]);
    expect(same).toEqual(one);
    expect(one).toEqual({
      id: expect.any(Number),
      deployment: "QmOne",
      network: "mainnet",
      namespace: `sgd${one.id}`,
      schema,
      fileTypes: new Set(),
      startBlock: 7,
      earliestBlock: 7,
      health: "healthy",
      isSynced: false,
    });
    expect(other.namespace).not.toBe(one.namespace);
    expect((await findDeployment(database, "QmTwo"))?.namespace).toBe(other.namespace);
    expect(await findDeployment(database, "QmThree")).toBeUndefined();
    expect(layoutOf(one).tables[0]).toMatchObject({ name: "token", type: "Token" });
    expect(await database.query(SQL`select id from ${quoteName(one.namespace)}.token`)).toEqual([]);
  });

  describe("schemas", () => {
    test("skips schema names that are already taken", async () => {
      await database.run(SQL`create schema sgd1; create schema sgd2`);
      expect((await openDeployment(database, build("QmOne"))).namespace).toBe("sgd3");
    });
  });

  test("the store records which entities file data sources write", async () => {
    const wanted = { ...build("QmOne"), fileTypes: new Set(["Token"]) };
    const { namespace } = await openDeployment(database, wanted);
    const found = await findDeployment(database, "QmOne");
    expect(found && layoutOf(found).tables[0]).toMatchObject({ causalityRegion: true });
    await database.query(SQL`select causality_region from ${quoteName(namespace)}.token`);
  });

  test("a deployment whose schema has no layout leaves nothing behind", async () => {
    const clash = "type TokenID @entity { id: ID! } type TokenId @entity { id: ID! }";
    await expect(openDeployment(database, { ...build("QmOne"), schema: clash })).rejects.toThrow("token_id");
    expect(await findDeployment(database, "QmOne")).toBeUndefined();
  });
});
