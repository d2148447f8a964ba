import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { present } from "../../../src/base/invariant.js";
import { createNodeCache } from "../../../src/machine/compiler/cache.js";
import { entryPath } from "../../../src/machine/compiler/cache-entries.js";
import { SQL } from "../../../src/store/database/database.js";
import { migrate, readMigrations } from "../../../src/store/database/migrate.js";
import { type ImageStore, imageName } from "../../../src/store/database/pglite/images.js";
import { openPglite } from "../../../src/store/database/pglite/pglite-database.js";
import { images } from "../../support/compiler/shared-cache.js";
import { world } from "../../support/database/databases.js";
import { testFolder } from "../../support/folder.js";

/** Checks that a database has our tables, all empty. @returns PostgreSQL's random system identifier */
async function identityOf(folder: string | undefined, images: ImageStore): Promise<string> {
  const database = await openPglite(folder, world, images);
  try {
    const [row] = await database.query(SQL`select system_identifier as id from pg_control_system()`);
    const run = await database.query(SQL`select number, name from graphloom.migrations order by number`);
    expect(run.map(({ number, name }) => `${number} ${name}`)).toEqual(
      readMigrations().map(({ number, name }) => `${number} ${name}`),
    );
    expect(await database.query(SQL`select count(*) from graphloom.deployments`)).toEqual([{ count: "0" }]);
    await migrate(database);
    return String(row?.id);
  } finally {
    await database.close();
  }
}

test("a new database starts from an image, and an existing one keeps its data", async () => {
  const image = await madeBefore();
  const asked: string[] = [];
  const images: ImageStore = {
    get: async (name) => {
      asked.push(name);
      return image;
    },
    put: () => Promise.reject(new Error("there is one")),
  };
  const folder = join(testFolder(), "database");
  expect(await identityOf(folder, images)).toBe(await identityOf(undefined, images));
  expect(asked).toEqual([imageName(), imageName()]);
  const again = await openPglite(folder, world, images);
  expect(await again.query(SQL`select count(*) from graphloom.deployments`)).toEqual([{ count: "0" }]);
  await again.close();
  expect(asked.length).toBe(2);
});

test("an image is named after the installed PGlite version", () => {
  const { version } = JSON.parse(readFileSync("node_modules/@electric-sql/pglite/package.json", "utf8"));
  expect(imageName()).toContain(version);
});

test("a broken image is ignored and created again", async () => {
  const folder = testFolder();
  const cache = createNodeCache({ folder });
  await cache.put(imageName(), await madeBefore());
  const [drawer = ""] = readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const [name = ""] = readdirSync(join(folder, drawer));
  const path = entryPath(folder, drawer + name);
  const bytes = readFileSync(path);
  const middle = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  writeFileSync(path, bytes);
  const made = await identityOf(join(testFolder(), "database"), cache);
  expect(await identityOf(undefined, cache)).toBe(made);
});

/** The image that the tests created, in this run or an earlier one. */
async function madeBefore(): Promise<Uint8Array> {
  const known = await images.get(imageName());
  if (known) return known;
  await (await openPglite(undefined, world, images)).close();
  return present(await images.get(imageName()), "the first database puts one");
}
