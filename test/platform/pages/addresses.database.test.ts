import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVersion } from "../../../src/platform/subgraphs/versions.js";
import { SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { startPages } from "./harness.js";

const databases = onEither();
let pages: Awaited<ReturnType<typeof startPages>>;
let cookie: string;

beforeEach(async () => {
  pages = await startPages(await databases.fresh());
  const answer = await send("/sign-in", { key: "gl_owner" });
  cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
});
afterEach(() => pages.stop());

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(pages.address + path, { redirect: "manual", headers });

function send(path: string, fields: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(fields);
  return fetch(pages.address + path, {
    method: "POST",
    redirect: "manual",
    body,
    headers: { cookie: cookie ?? "" },
  });
}

const html = { accept: "text/html,*/*;q=0.8" };

it("the server reports an unknown address with a page for browsers, and a problem document for programs", async () => {
  for (const path of ["/nothing", "/settings/x", "/api/v1/nothing"]) {
    const page = await ask(path, html);
    const text = await page.text();
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    for (const part of ['<html lang="en">', "<title>Not found", "There is no page", 'href="/"']) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain("Sign out");
    const document = await ask(path);
    expect([document.status, document.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json; charset=utf-8",
    ]);
  }
  expect((await ask("/sign-out")).status).toBe(405);
});

it("the server sends programs that ask for JSON to the API operation, or refuses them with a document", async () => {
  const json = { accept: "application/json" };
  for (const [path, address] of [
    ["/", "/api/v1/subgraphs"],
    ["/dashboard/pools/1.0.0", "/api/v1/subgraphs/pools/1.0.0"],
    ["/dashboard/pools/1.0.0/webhooks/swaps", "/api/v1/extensions/webhooks/swaps"],
    ["/dashboard/a%2Fb/1.0.0/log", "/api/v1/subgraphs/a%2Fb/1.0.0/logs"],
    ["/account", "/api/v1/me"],
    ["/new-secret", "/api/v1/openapi.json"],
  ]) {
    const answer = await ask(path ?? "", json);
    expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 303, address]);
  }
  const key = { ...json, authorization: "Bearer gl_owner" };
  for (const [path, address] of [
    ["/keys", "api-keys"],
    ["/audit?by=ann&from=2026-11-01", "audit?by=ann&from=2026-11-01"],
    // A form sends its empty fields too.
    ["/audit?by=&action=secret&subject=&from=&to=", "audit?action=secret"],
    ["/audit?subject=what?&by=", "audit?subject=what%3F"],
    ["/audit", "audit"],
  ]) {
    const answer = await ask(path ?? "", key);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/api/v1/projects/project_1/${address}`,
    ]);
    expect((await ask(path ?? "", json)).status).toBe(401);
  }
  const nothing = await ask("/nothing", json);
  expect([nothing.status, nothing.headers.get("content-type")]).toEqual([
    404,
    "application/problem+json; charset=utf-8",
  ]);
});

it("the server refuses people at an address of the API with a page in the same frame", async () => {
  const page = await ask("/assets/none.js/%E0%A4%A", html);
  expect([page.status, page.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
  const text = await page.text();
  for (const part of ["<h1>Bad request</h1>", '<nav aria-label="Main">', 'href="/api/errors/bad-request"'])
    expect(text).toContain(part);
});

it("the server keeps the navigation on error pages for people who are signed in", async () => {
  for (const path of ["/nothing", "/dashboard/none/1.0.0", "/dashboard/pools/1.0.0/data/none"]) {
    const page = await ask(path, { ...html, cookie });
    expect([path, page.status]).toEqual([path, 404]);
    expect(await page.text()).toContain("Sign out");
  }
});

it("the server links from a missing version to the existing ones", async () => {
  const page = await (await ask("/dashboard/pools/9.9.9", { ...html, cookie })).text();
  expect(page).toContain('<ul data-instead><li><a href="/dashboard/pools/1.0.0">pools/1.0.0</a></li>');
});

it("the server logs the requests of people at the level info, and automatic renewals only below it", async () => {
  const levels = () =>
    pages.logged.map((line) => JSON.parse(line)).map(({ level, path }) => `${level} ${path}`);
  pages.logged.length = 0;
  await ask("/keys", { cookie });
  await ask("/assets/style.css");
  await ask("/", { cookie, "graphloom-renewal": "1" });
  expect(levels()).toEqual(["30 /keys"]);
  // A refused request is logged even when it claims to be a renewal.
  await ask("/dashboard/none/1.0.0", { cookie, "graphloom-renewal": "1" });
  expect(levels()).toEqual(["30 /keys", "30 /dashboard/none/1.0.0"]);
});

it("the server asks for confirmation before it moves a tag or does something irreversible", async () => {
  const { database } = pages.platform;
  await database.query(
    SQL`insert into graphloom.versions (project, name, version, deployment)
      select project, name, '2.0.0', deployment from graphloom.versions`,
  );
  const target = async () =>
    (await findVersion(database, { project: "project_1", name: "pools", version: "prod" }))?.target;
  const tags = "/dashboard/pools/2.0.0/tags";
  const question = await send(tags, { tag: "prod" });
  const text = await question.text();
  expect([question.status, await target()]).toEqual([200, "1.0.0"]);
  expect(text).toContain("pools/prod currently points to 1.0.0");
  const from = /name="from" value="([^"]*)"/.exec(text)?.[1] ?? "";
  // Somebody else has moved the tag meanwhile, so the confirmation no longer applies.
  expect((await send(tags, { tag: "prod", from: "0.9.0" })).status).toBe(200);
  expect(await target()).toBe("1.0.0");
  expect((await send(tags, { tag: "prod", from })).status).toBe(303);
  expect(await target()).toBe("2.0.0");
  const keys = await (await ask("/keys", { cookie })).text();
  expect(keys).toMatch(
    /<summary class="button" aria-label="Revoke Viewer of project_1">Revoke<\/summary>\s*<form method="post" action="\/keys\/viewer\/revoke">.*stops working/,
  );
});

it("the server shows the next attempt, the last result and the waiting events of a receiver that is down", async () => {
  const { database } = pages.platform;
  await database.query(SQL`update graphloom.webhooks set rests_until = '2031-02-03T04:05:06Z', failures = 5`);
  await database.query(
    SQL`update graphloom.webhook_events set attempts = 1, answer_status = 503, error = 'HTTP 503', attempted_at = now()`,
  );
  const page = await (await ask("/dashboard/pools/1.0.0/webhooks/swaps", { cookie })).text();
  const told =
    /The receiver of <a href="\/dashboard\/pools\/1.0.0\/webhooks\/swaps">swaps<\/a> is down\.<\/strong> https:\/\/receiver\.example: HTTP 503\./;
  const next = /Next attempt: <time datetime="2031-02-03T04:05:06.000Z"/;
  expect(page).toMatch(told);
  expect(page).toMatch(next);
  expect(page).toMatch(
    /<dt>Pending<\/dt><dd>1 event, the oldest since <time datetime="20[^<]*<\/time><\/dd>/,
  );
  for (const path of ["", "/webhooks"]) {
    const other = await (await ask(`/dashboard/pools/1.0.0${path}`, { cookie })).text();
    expect(other).toMatch(told);
    expect(other).toMatch(next);
    expect(other).toContain('Webhooks <span class="badge bad">1 down</span>');
  }
});

it("the server shows a subgraph in tabs, each at its own address", async () => {
  const own = "/dashboard/pools/1.0.0";
  const linked = (page: string) => {
    const [, tabs = ""] = /<nav class="tabs" aria-label="Subgraph">(.*?)<\/nav>/s.exec(page) ?? [];
    return [...tabs.matchAll(/<a href="([^"]*)"( aria-current="(\w+)")?>/g)];
  };
  const first = await (await ask(own, { cookie })).text();
  const addresses = linked(first).map(([, href = ""]) => href);
  const below = ["", "/data", "/query", "/log", "/webhooks", "/map", "/settings"];
  expect(addresses).toEqual(below.map((path) => own + path));
  // The page for queries is that of an endpoint.
  const queries = await ask(`${own}/query?query=%7B+swaps+%7D`, { cookie });
  expect([queries.status, queries.headers.get("location")]).toEqual([
    303,
    "/api/public/project_1/subgraphs/pools/1.0.0/gn?query=%7B+swaps+%7D",
  ]);
  const pagesHere = addresses.filter((path) => !path.endsWith("/query"));
  for (const path of [...pagesHere, `${own}/data/swap`, `${own}/webhooks/swaps`]) {
    const page = await ask(path, { cookie });
    expect([path, page.status]).toEqual([path, 200]);
    const current = linked(await page.text()).flatMap(([, href, , kind]) => (kind ? [[href, kind]] : []));
    const isTab = addresses.includes(path);
    expect(current).toEqual([isTab ? [path, "page"] : [path.replace(/\/\w+$/, ""), "true"]]);
  }
});

it("the server redirects the addresses that pages of entities had before", async () => {
  const old = await ask("/dashboard/pools/1.0.0/entities/swap?after=50", { cookie });
  expect([old.status, old.headers.get("location")]).toEqual([
    303,
    "/dashboard/pools/1.0.0/data/swap?after=50",
  ]);
});

describe("A form", () => {
  const form = { method: "POST", body: new URLSearchParams({ name: "wrong" }), redirect: "manual" } as const;
  const post = (headers: Record<string, string>) =>
    fetch(`${pages.address}/secrets/NONE/delete`, { ...form, headers });

  it("leads back to its page if it is refused", async () => {
    const refused = await post({ cookie, referer: `${pages.address}/secrets?after=A` });
    expect([refused.status, await refused.text()]).toEqual([
      404,
      expect.stringContaining('<a href="/secrets?after=A">Back to the previous page</a>'),
    ]);
    for (const referer of ["https://evil.example/x", `${pages.address}//evil.example`, "no address"]) {
      const text = await (await post({ cookie, referer })).text();
      expect(text).toContain('<a href="/">Back to the subgraphs</a>');
      expect(text).not.toContain("evil");
    }
  });

  it("leads back to its page after a new sign-in if the session has ended, and the page says that nothing was saved", async () => {
    const away = await post({ referer: `${pages.address}/secrets?after=A` });
    const address = "/sign-in?next=%2Fsecrets%3Fafter%3DA&unsaved=1";
    expect([away.status, away.headers.get("location")]).toEqual([303, address]);
    const page = await (await ask(address, html)).text();
    expect(page).toContain("You are no longer signed in, and the form was not saved.");
    expect(page).toContain('name="next" value="/secrets?after=A"');
    expect((await post({})).headers.get("location")).toBe("/sign-in");
  });
});

it("the server sends browsers without a session to the sign-in page from files, and programs a document", async () => {
  for (const path of ["/audit.csv?by=ann", "/dashboard/pools/1.0.0/data/swap/rows.csv"]) {
    const away = await ask(path, { ...html, referer: `${pages.address}/audit?by=ann` });
    expect([path, away.status, away.headers.get("location")]).toEqual([
      path,
      303,
      "/sign-in?next=%2Faudit%3Fby%3Dann",
    ]);
    expect((await ask(path, html)).headers.get("location")).toBe("/sign-in");
    expect((await ask(path, { ...html, authorization: "Bearer gl_none" })).status).toBe(401);
    const document = await ask(path);
    expect([document.status, document.headers.get("content-type")]).toEqual([
      401,
      "application/problem+json; charset=utf-8",
    ]);
  }
});
