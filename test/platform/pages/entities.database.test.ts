import { afterEach, beforeEach, expect, it } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { onPglite, world } from "../../support/database/databases.js";
import { keptOpen } from "../../support/server/platform-server.js";
import { startPages } from "./harness.js";

const databases = onPglite();
let database: Database;
let counted: number;
let now: number;
let pages: Awaited<ReturnType<typeof startPages>>;

beforeEach(async () => {
  database = await databases.fresh();
  counted = 0;
  now = Date.now();
  const counting: Database = {
    ...keptOpen(database),
    query: (statement, parameters) => {
      if (statement.includes("count(*)")) counted += 1;
      return database.query(statement, parameters);
    },
  };
  pages = await startPages(counting, { world: { ...world, now: () => now } });
});
afterEach(() => pages.stop());

async function look(path = ""): Promise<string> {
  const body = new URLSearchParams({ key: "gl_viewer" });
  const signedIn = await fetch(`${pages.address}/sign-in`, { method: "POST", body, redirect: "manual" });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const answer = await fetch(`${pages.address}/dashboard/pools/1.0.0${path}`, { headers: { cookie } });
  expect(answer.status).toBe(200);
  return answer.text();
}

/** The cells of the table of entities, by its rows. */
function entitiesOf(page: string): readonly (readonly string[])[] {
  const [, table = ""] = /aria-label="Entities".*?<tbody>(.*?)<\/tbody>/s.exec(page) ?? [];
  return [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "").trim()),
  );
}

it("counts entities, not their versions, and uses the GraphQL names of types and fields", async () => {
  expect(entitiesOf(await look("/data"))).toEqual([
    ["Swap", "120", "id, pool, amount"],
    ["PoolDay", "1", "id, openPrice, pools, lastSwap"],
  ]);
});

it("shows entities with the names and types of their fields, without columns of the storage", async () => {
  const page = await look("/data/pool_day");
  expect(page).toContain("<h1>pools/1.0.0 · PoolDay</h1>");
  expect(page).toMatch(/As of block 60[.;] 1 entity/);
  const heads = [...page.matchAll(/<th scope="col">(.*?)<\/th>/g)].map(([, head = ""]) =>
    head.replace(/<[^>]*>/g, ""),
  );
  expect(heads).toEqual(["id Bytes!", "openPrice BigInt!", "pools [Bytes!]!", "lastSwap Swap"]);
  const cells = [...page.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell);
  expect(cells).toEqual(["0x01", "7", "0xaa, 0xbb", "swap-1"]);
  for (const inner of ["vid", "block_range", "open_price", "numeric"]) expect(page).not.toContain(inner);
});

it("counts again only after new blocks were indexed", async () => {
  for (let renewal = 0; renewal < 5; renewal++) {
    await look("/data");
    now += 60_000;
  }
  expect(counted).toBe(1);
  await database.query(SQL`update graphloom.deployments set head_number = 61, head_hash = '0xbb'`);
  await look("/data");
  expect(counted).toBe(2);
});
