import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { SQL } from "../../../src/store/database/database.js";
import { onEither, world } from "../../support/database/databases.js";
import { startPages } from "./harness.js";

const databases = onEither();
let pages: Awaited<ReturnType<typeof startPages>>;

afterEach(() => pages.stop());

async function ask(path: string, key = "gl_viewer"): Promise<Response> {
  const body = new URLSearchParams({ key });
  const signedIn = await fetch(`${pages.address}/sign-in`, { method: "POST", body, redirect: "manual" });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return fetch(pages.address + path, { headers: { cookie }, redirect: "manual" });
}

async function look(path = "/", key?: string): Promise<string> {
  const answer = await ask(path, key);
  expect(answer.status).toBe(200);
  return answer.text();
}

const rowsOf = (page: string): readonly string[] =>
  [...page.matchAll(/<tr id="row-(.*?)">/g)].map(([, id = ""]) => id);

async function addVersions(deployment: string, count: number): Promise<void> {
  await pages.platform.database.query(
    SQL`insert into graphloom.builds (deployment, bundle, network, engine)
      select $1::text, bundle, network, engine from graphloom.builds limit 1 on conflict do nothing`,
    [deployment],
  );
  await pages.platform.database.query(
    SQL`insert into graphloom.versions (project, name, version, deployment)
      select 'project_1', 'many', lpad(i::text, 4, '0'), $1::text from generate_series(1, $2::integer) i`,
    [deployment, String(count)],
  );
}

function fail(deployment: string): void {
  const status: HostedStatus = {
    health: "failed",
    isSynced: false,
    nonFatalErrors: [],
    startBlock: 1,
    fatalError: { message: "division by zero" },
  };
  pages.statuses.set(deployment, status);
}

describe("the overview", () => {
  beforeEach(async () => {
    pages = await startPages(await databases.fresh());
  });

  it("lists hundreds of versions and tags page by page, and counts them", async () => {
    await addVersions("QmMany", 600);
    await pages.platform.database.query(
      SQL`insert into graphloom.tags (project, name, tag, version)
        select project, name, 'tag-' || version, version from graphloom.versions where name = 'many'`,
    );
    const seen = new Set<string>();
    const first = await look();
    expect(first).toContain("601 subgraphs: 1 catching up, 600 starting");
    const links = [...first.matchAll(/href="(\/\?page=\d+)"/g)].map(([, link = ""]) => link);
    for (const link of ["/", ...links]) for (const id of rowsOf(await look(link))) seen.add(id);
    expect(seen.size).toBe(601);
    expect(await look(links.at(-1))).toContain(">tag-0600</a>");
  });

  it("draws the last hour of each subgraph, and counts the queries of the last minute", async () => {
    await pages.stop();
    const now = Math.floor(world.now() / 60_000) * 60_000;
    const numbers = {
      minutes: 1,
      fromMemory: 100,
      fromEngine: 20,
      refused: 0,
      failed: 0,
      state: "indexing",
    } as const;
    const recent = [0, 1, 2].map((age) => ({ ...numbers, at: now - age * 60_000, lagBlocks: 50 })).reverse();
    // The clock stands still, because the charts end with the minute that it shows.
    const still = { ...world, now: () => now };
    pages = await startPages(await databases.fresh(), { world: still, figures: { recent: () => recent } });
    const page = await look();
    expect(page).toContain(
      "<title>Lag in the last hour: behind for 3 min, at most 50 blocks, latest 50 blocks</title>",
    );
    expect(page).toContain(
      "<title>State in the last hour: not measured for 57 min, catching up for 3 min</title>",
    );
    expect(page).toContain(">2 queries/s <svg");
    expect(page).toContain("<title>Queries per second in the last hour: at most 2, latest 2</title>");
    expect(page).toContain("<title>Events per second in the last hour: not measured</title>");
    // The foreign project deploys the same build.
    await pages.platform.database.query(
      SQL`insert into graphloom.versions (project, name, version, deployment)
        select 'project_2', name, version, deployment from graphloom.versions`,
    );
    for (const key of ["gl_viewer", "gl_foreign"]) {
      const shared = await look("/", key);
      expect(shared).toContain("Lag in the last hour: behind for 3 min");
      expect(shared).not.toContain("queries/s");
      const history = await look("/dashboard/pools/1.0.0", key);
      expect(history).toContain("Events per second");
      expect(history).not.toContain("Queries per second");
    }
  });

  it("counts a receiver as down until it accepts an event, as the page of its subgraph does", async () => {
    const { database } = pages.platform;
    await database.query(
      SQL`update graphloom.webhooks set rests_until = now() - interval '1 minute', failures = 12`,
    );
    expect(await look()).toContain("1 webhook receiver down");
    expect(await look("/dashboard/pools/1.0.0")).toContain("is down.</strong>");
    await database.query(
      SQL`update graphloom.webhooks set is_paused = true, rests_until = now() + interval '1 hour'`,
    );
    expect(await look()).not.toContain("webhook receiver down");
    expect(await look("/dashboard/pools/1.0.0")).not.toContain("is down.</strong>");
  });

  it("counts the attempts to deliver that failed in the last day, and names their webhooks", async () => {
    expect(await look()).not.toContain("to deliver");
    await pages.stop();
    pages = await startPages(await databases.fresh());
    const { database } = pages.platform;
    await database.query(
      SQL`insert into graphloom.webhook_figures (webhook, step, minute, delivered, retried, failed)
        select 'webhook_1', step, extract(epoch from now())::integer / 300 * 5 - i * 60, 5, 1200, 1
          from unnest(array[1, 2, 30]) i cross join unnest(array[1, 5]) step`,
    );
    const told =
      /2,402 failed attempts to deliver<\/span> in 24 hours: <a href="\/dashboard\/pools\/1.0.0\/webhooks\/swaps">swaps</;
    expect(await look()).toMatch(told);
    expect(await look("/", "gl_foreign")).not.toContain("to deliver");
  });

  it("shows failed subgraphs first, and counts them in the title", async () => {
    await addVersions("QmMany", 300);
    fail("QmPools");
    const page = await look();
    expect(rowsOf(page)[0]).toBe("pools/1.0.0");
    expect(page).toContain("<title>(1 failed) Subgraphs");
  });
});

describe("the overview in development", () => {
  let mistakes = "";
  beforeEach(async () => {
    mistakes = "";
    pages = await startPages(await databases.fresh(), { draft: { tag: "prod", mistakes: () => mistakes } });
  });

  it("shows one row, named like the configuration, at an address that stays the same", async () => {
    const page = await look();
    expect(rowsOf(page)).toEqual(["pools/prod"]);
    expect(page).toContain('<a href="/dashboard/pools/prod"><strong>pools</strong></a>');
    for (const path of ["", "/log", "/data/swap?after=5"]) {
      const answer = await ask(`/dashboard/pools/1.0.0${path}`);
      expect([answer.status, answer.headers.get("location")]).toEqual([303, `/dashboard/pools/prod${path}`]);
    }
    expect((await ask("/dashboard/pools/gone")).headers.get("location")).toBe("/dashboard/pools/prod");
    const own = await look("/dashboard/pools/prod");
    expect(own).toContain("/subgraphs/pools/prod/gn");
    expect(own).not.toContain("pools/1.0.0");
  });

  it("shows the progress of a change beside the version that answers queries", async () => {
    await addVersions("QmNext", 1);
    await pages.platform.database.query(
      SQL`update graphloom.versions set name = 'pools' where name = 'many'`,
    );
    const status = { health: "healthy", isSynced: false, nonFatalErrors: [], startBlock: 1 } as const;
    pages.statuses.set("QmNext", { ...status, headBlock: 20, chainHeadBlock: 110 });
    for (const page of [await look(), await look("/dashboard/pools/prod")]) {
      expect(page).toContain("Change: catching up, block 20 of 110");
    }
    expect(rowsOf(await look())).toEqual(["pools/prod"]);
    fail("QmNext");
    expect(await look()).toContain("Change: stopped: division by zero");
  });

  it("shows the mistakes of the configuration line by line, with markup and control characters escaped", async () => {
    mistakes = "error[x]: <b>bold</b>\n  --> c.json:3:4\u202e";
    for (const page of [await look(), await look("/dashboard/pools/prod")]) {
      expect(page).toContain("error[x]: &#60;b&#62;bold&#60;/b&#62;\n  --&#62; c.json:3:4\\u202e");
    }
    mistakes = "";
    expect(await look()).not.toContain("error[x]");
  });
});
