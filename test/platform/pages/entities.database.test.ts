import { afterEach, beforeEach, expect, it } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { onEither, world } from "../../support/database/databases.js";
import { keptOpen } from "../../support/server/platform-server.js";
import { startPages } from "./harness.js";

const databases = onEither();
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

/** The texts of the cells of a table, by its rows. */
function cellsOf(page: string, label = "Entities"): readonly (readonly string[])[] {
  const [, table = ""] = new RegExp(`aria-label="${label}".*?<tbody>(.*?)</tbody>`, "s").exec(page) ?? [];
  return [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "").trim()),
  );
}

const idsOf = (page: string): readonly string[] => cellsOf(page).map(([id = ""]) => id);

/** The ids from one number down to another. */
const swaps = (from: number, to: number): readonly string[] =>
  Array.from({ length: from - to + 1 }, (_, index) => `swap-${from - index}`);

/** The address of a link, below that of the version. */
function linkOf(page: string, text: string): string {
  const [, address = ""] = new RegExp(`href="/dashboard/pools/1.0.0([^"]*)"[^>]*>${text}<`).exec(page) ?? [];
  return address.replaceAll("&#38;", "&");
}

it("the page shows the newest rows of the last written type, beside the counts of all types", async () => {
  const page = await look("/data");
  const types = [...page.matchAll(/<li id="entity-\w+">(.*?)<\/li>/gs)].map(([, item = ""]) =>
    item.replace(/<[^>]*>/g, "").replace(/\s+/g, " "),
  );
  expect(types).toEqual(["Swap 120", "PoolDay 1"]);
  expect(page).toContain('aria-current="true">PoolDay<');
  expect(cellsOf(page)).toEqual([["0x01", "7", "[0xaa, 0xbb]", "swap-1"]]);
});

it("the page shows entities with the names and types of their fields, without storage columns", async () => {
  const page = await look("/data/pool_day");
  expect(page).toContain("<h1>pools/1.0.0 · PoolDay</h1>");
  expect(page).toContain("As of block 60; 1 entity, newest first.");
  const heads = [...page.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, head = ""]) =>
    head.replace(/<[^>]*>/g, ""),
  );
  expect(heads).toEqual(["id Bytes!", "openPrice BigInt!", "pools [Bytes!]!", "lastSwap Swap"]);
  expect(page).toContain('href="/dashboard/pools/1.0.0/data/swap/entity?id=swap-1"');
  for (const inner of ["vid", "block_range", "open_price", "numeric"]) expect(page).not.toContain(inner);
});

it("the page shows rows newest first, and links to the next, previous, last and first ones", async () => {
  const first = await look("/data/swap?size=25");
  expect(idsOf(first)).toEqual(swaps(119, 95));
  const second = await look(linkOf(first, "Next"));
  expect(idsOf(second)).toEqual(swaps(94, 70));
  expect(idsOf(await look(linkOf(second, "Previous")))).toEqual(swaps(119, 95));
  const last = await look(linkOf(first, "Last"));
  expect(idsOf(last)).toEqual(swaps(24, 0));
  expect(linkOf(last, "Next")).toBe("");
  expect(linkOf(last, "First")).toBe("/data/swap?size=25");
});

it("the page keeps the search, filters and order in the address", async () => {
  const ids = async (query: string) => idsOf(await look(`/data/swap?${query}`));
  expect(await ids("id=swap-11")).toEqual(["swap-11"]);
  expect((await ids("id=swap-1&size=100")).length).toBe(1);
  expect((await ids("id=swap-1&size=200")).length).toBe(1);
  expect((await ids("id=swap-11%20")).length).toBe(1);
  expect(await ids("id=swap-12&field=pool&by=is&value=pool")).toEqual(["swap-12"]);
  expect((await ids("id=swap-&size=200")).length).toBe(120);
  expect(await ids("field=pool&by=contains&value=SCRIPT")).toEqual(["swap-0"]);
  expect((await ids("sort=id&size=25")).slice(0, 3)).toEqual(["swap-0", "swap-1", "swap-10"]);
  expect((await ids("sort=-id&size=25")).slice(0, 2)).toEqual(["swap-99", "swap-98"]);
  expect(await look("/data/swap?id=nothing")).toContain("No entity matches.");
  const wrong = await look("/data/swap?field=amount&by=gt&value=%3Cb%3E");
  expect(wrong).toContain('role="alert"><p>&#34;&#60;b&#62;&#34; is not a valid value for amount');
  expect(idsOf(wrong)).toEqual([]);
  expect(await look("/data/swap?sort=nothing")).toContain("Rows cannot be sorted by nothing.");
});

it("the page gives the rows of a page as CSV and JSON", async () => {
  const page = await look("/data/swap?sort=id&size=25&field=pool&by=contains&value=script");
  expect(await look(linkOf(page, "CSV"))).toBe(
    "id,pool,amount\r\nswap-0,<script>alert(1)</script>,1000000000000000000000000000000\r\n",
  );
  expect(JSON.parse(await look(linkOf(page, "JSON")))).toEqual([
    { id: "swap-0", pool: "<script>alert(1)</script>", amount: "1000000000000000000000000000000" },
  ]);
  const days = JSON.parse(await look("/data/pool_day/rows.json"));
  expect(days).toEqual([{ id: "0x01", openPrice: "7", pools: ["0xaa", "0xbb"], lastSwap: "swap-1" }]);
});

it("the page shows the history of an entity as its versions are in the tables", async () => {
  await database.query(
    SQL`insert into graphloom.recent_blocks (deployment, number, hash, timestamp) select id, 40, '0xaa', 1700000000 from graphloom.deployments`,
  );
  const page = await look("/data/pool_day/entity?id=0x01");
  const versions = await database.query(
    SQL`select to_char(lower(block_range), 'FM999') as block from sgd1.pool_day order by vid desc`,
  );
  expect(versions.length).toBe(30);
  expect(cellsOf(page, "History")).toEqual(
    versions.map(({ block }, index) => [
      block,
      index === 0 ? "2023-11-14 22:13:20" : "not kept",
      "not stored",
      index === versions.length - 1 ? "created" : "stored again, unchanged",
      "one of 2 handlers",
    ]),
  );
  expect(page).toMatch(/id="handlers">.*handleTransfer.*handleSwap/s);
  expect(page).toContain("pools/1.0.0 · PoolDay 0x01");
});

it("the page says of the newest version on a page of older ones that the entity was removed after it", async () => {
  await database.query(
    SQL`update sgd1.pool_day set block_range = int4range(40, 41) where upper_inf(block_range)`,
  );
  await database.query(
    SQL`insert into sgd1.pool_day (vid, block_range, id, open_price, pools, last_swap)
      select vid + block, int4range(block, case when block < 91 then block + 1 end), id, open_price, pools, last_swap
      from sgd1.pool_day, generate_series(42, 91) block where lower(block_range) = 40 order by block`,
  );
  const newest = await look("/data/pool_day/entity?id=0x01");
  const older = await look(linkOf(newest.replaceAll("&amp;", "&"), "Older versions"));
  const changes = [newest, older].map((page) =>
    cellsOf(page, "History").map(([block, , , what]) => [block, what]),
  );
  expect(changes[0]?.at(-1)).toEqual(["42", "created again, after its removal in block 41"]);
  expect(changes[1]?.slice(0, 2)).toEqual([
    ["40", "stored again, unchangedremoved in block 41"],
    ["39", "stored again, unchanged"],
  ]);
});

it("the history of an entity is JSON for programs: each version, what changed, and what may have stored it", async () => {
  await database.query(
    SQL`update sgd1.pool_day set block_range = int4range(40, 41) where upper_inf(block_range)`,
  );
  await database.query(
    SQL`insert into sgd1.pool_day (vid, block_range, id, open_price, pools, last_swap)
      select vid + block, int4range(block, case when block < 91 then block + 1 end), id, open_price + block, pools, last_swap
      from sgd1.pool_day, generate_series(42, 91) block where lower(block_range) = 40 order by block`,
  );
  const read = async (path: string) => {
    const answer = await fetch(`${pages.address}/dashboard/pools/1.0.0/data/${path}`, {
      headers: { authorization: "Bearer gl_viewer" },
    });
    return { status: answer.status, ...((await answer.json()) as { readonly data: EntityHistory }) };
  };
  const { data } = await read("pool_day/history.json?id=0x01");
  expect([data.entity, data.id, data.versions.length]).toEqual(["PoolDay", "0x01", 20]);
  expect(data.versions[0]).toEqual({
    block: 91,
    ended_in_block: null,
    time: null,
    transaction: null,
    changed_fields: ["openPrice"],
    values: { id: "0x01", openPrice: "98", pools: ["0xaa", "0xbb"], lastSwap: "swap-1" },
    written_by: {
      kind: "handlers",
      is_certain: expect.any(Boolean),
      handlers: expect.arrayContaining([
        { source: expect.any(String), trigger: expect.any(String), handler: "handleSwap", place: null },
      ]),
    },
  });
  // A type may have its own name, and older versions follow.
  const older = await read(`PoolDay/history.json?id=0x01&before=${data.before}`);
  expect(older.data.versions[0]?.block).toBe(71);
  expect((await read("none/history.json?id=0x01")).status).toBe(404);
  expect((await read("pool_day/history.json?id=0x77")).status).toBe(404);
  expect((await read("pool_day/history.json?id=nonsense")).status).toBe(404);
  expect((await read("pool_day/history.json")).status).toBe(404);
});

interface EntityHistory {
  readonly entity: string;
  readonly id: string;
  readonly versions: readonly Readonly<Record<string, unknown>>[];
  readonly before: string | null;
}

it("the page shows the beginning of a long value, and the whole value on request", async () => {
  const long = `begins ${"x".repeat(3_000)} ends`;
  await database.query(SQL`update sgd1.swap set pool = $1::text where id = 'swap-7'`, [long]);
  const row = await look("/data/swap?id=swap-7");
  expect(row).not.toContain(long);
  const cut = await look(linkOf(row, "more").replace(/#.*$/, ""));
  expect(cut).toContain("begins x");
  expect(cut).not.toContain(long);
  const whole = await look(linkOf(cut, "Show all").replace("&amp;", "&").replace(/#.*$/, ""));
  expect(whole).toContain(long);
  // A page that renews itself would send all of it again and again.
  expect(whole).not.toContain("data-live");
});

it("the page says how long a subgraph still needs to catch up, from its speed", async () => {
  const status = pages.statuses.get("QmPools");
  if (!status) throw new Error("the status is there");
  const at = async (headBlock: number) => {
    pages.statuses.set("QmPools", { ...status, headBlock, chainHeadBlock: 1_100 });
    const page = await look();
    now += 60_000;
    return /<p class="small" id="time-left">(.*?)<\/p>/.exec(page)?.[1];
  };
  expect(await at(100)).toBeUndefined();
  // A hundred blocks in a minute, and 900 are left.
  expect(await at(200)).toBe("Will catch up in about 9 minutes.");
});

it("the page counts again only after new blocks were indexed", async () => {
  for (let renewal = 0; renewal < 5; renewal++) {
    await look("/data");
    now += 60_000;
  }
  expect(counted).toBe(1);
  await database.query(SQL`update graphloom.deployments set head_number = 61, head_hash = '0xbb'`);
  await look("/data");
  expect(counted).toBe(2);
});
