import { afterEach, beforeEach, expect, it } from "vitest";
import { findVersion } from "../../../src/platform/subgraphs/versions.js";
import { SQL } from "../../../src/store/database/database.js";
import { onPglite } from "../../support/database/databases.js";
import { startPages } from "./harness.js";

const databases = onPglite();
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

it("says to browsers with a page, and to programs with a document, that nothing is at an address", async () => {
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

it("keeps the navigation of who is signed in, whatever is wrong", async () => {
  for (const path of ["/nothing", "/dashboard/none/1.0.0", "/dashboard/pools/1.0.0/entities/none"]) {
    const page = await ask(path, { ...html, cookie });
    expect([path, page.status]).toEqual([path, 404]);
    expect(await page.text()).toContain("Sign out");
  }
});

it("leads from a version that is not there to those that are", async () => {
  const page = await (await ask("/dashboard/pools/9.9.9", { ...html, cookie })).text();
  expect(page).toContain('<ul data-instead><li><a href="/dashboard/pools/1.0.0">pools/1.0.0</a></li>');
});

it("logs what is asked for by somebody, and what pages load by themselves only for who wants all of it", async () => {
  const levels = () =>
    pages.logged.map((line) => JSON.parse(line)).map(({ level, path }) => `${level} ${path}`);
  pages.logged.length = 0;
  await ask("/keys", { cookie });
  await ask("/assets/style.css");
  await ask("/", { cookie, "graphloom-renewal": "1" });
  expect(levels()).toEqual(["30 /keys"]);
  // What is refused is logged, whatever it says of itself.
  await ask("/dashboard/none/1.0.0", { cookie, "graphloom-renewal": "1" });
  expect(levels()).toEqual(["30 /keys", "30 /dashboard/none/1.0.0"]);
});

it("asks before a tag is pointed elsewhere, and before what cannot be undone", async () => {
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
  // Somebody else has moved it meanwhile: what was asked is not what would be done.
  expect((await send(tags, { tag: "prod", from: "0.9.0" })).status).toBe(200);
  expect(await target()).toBe("1.0.0");
  expect((await send(tags, { tag: "prod", from })).status).toBe(303);
  expect(await target()).toBe("2.0.0");
  const keys = await (await ask("/keys", { cookie })).text();
  expect(keys).toMatch(
    /<summary aria-label="Revoke Viewer of project_1">Revoke<\/summary>\s*<form method="post" action="\/keys\/viewer\/revoke">.*stops working/,
  );
});

it("says of a receiver that is down until when it rests, what it said, and how many events wait", async () => {
  const { database } = pages.platform;
  await database.query(SQL`update graphloom.webhooks set rests_until = '2031-02-03T04:05:06Z', failures = 5`);
  await database.query(
    SQL`update graphloom.webhook_events set attempts = 1, answer_status = 503, error = 'HTTP 503'`,
  );
  const page = await (await ask("/dashboard/pools/1.0.0/webhooks/swaps", { cookie })).text();
  expect(page).toMatch(/The next attempt is at <time datetime="2031-02-03T04:05:06.000Z">/);
  expect(page).toContain("Last result: 503 HTTP 503");
  expect(page).toContain("<dt>Waiting</dt><dd>1 event</dd>");
});

it("leads to all parts of a long page from its beginning", async () => {
  const page = await (await ask("/dashboard/pools/1.0.0", { cookie })).text();
  const links = [...page.matchAll(/<li><a href="#([\w-]+)">/g)].map(([, id = ""]) => id);
  expect(links).toEqual(["queries", "entities", "map", "webhooks", "log", "deployment"]);
  for (const id of links) expect(page).toContain(`<h2 id="${id}">`);
});
