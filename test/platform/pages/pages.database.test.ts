import { get } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findVersion } from "../../../src/platform/subgraphs/versions.js";
import { SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { deliveryId, startPages } from "./harness.js";

const databases = onEither();
let pages: Awaited<ReturnType<typeof startPages>>;

beforeEach(async () => {
  pages = await startPages(await databases.fresh());
});
afterEach(() => pages.stop());

const ask = (path: string, cookie = "", init: RequestInit = {}) =>
  fetch(pages.address + path, { redirect: "manual", ...init, headers: { cookie, ...init.headers } });

const send = (path: string, cookie: string, fields: Record<string, string>, headers = {}) =>
  ask(path, cookie, { method: "POST", body: new URLSearchParams(fields), headers });

async function signIn(key: string): Promise<string> {
  const answer = await send("/sign-in", "", { key });
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

it("the server sends visitors who are not signed in to the sign-in page, and back", async () => {
  for (const path of ["/", "/keys", "/dashboard/pools/1.0.0", "/dashboard/pools/1.0.0/log"]) {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/sign-in?next=${encodeURIComponent(path)}`,
    ]);
  }
  const answer = await send("/sign-in", "", { key: "gl_owner", next: "/keys" });
  expect(answer.headers.get("location")).toBe("/keys");
  expect(answer.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
  const elsewhere = await send("/sign-in", "", { key: "gl_owner", next: "//evil.example" });
  expect(elsewhere.headers.get("location")).toBe("/");
});

it("the server refuses an unknown key, a forged session, and a session whose key was revoked", async () => {
  expect((await send("/sign-in", "", { key: "gl_none" })).status).toBe(401);
  const cookie = await signIn("gl_owner");
  expect((await ask("/", cookie)).status).toBe(200);
  const last = cookie.at(-1) === "A" ? "B" : "A";
  expect((await ask("/", cookie.slice(0, -1) + last)).status).toBe(303);
  const viewer = await signIn("gl_viewer");
  expect((await ask("/", viewer)).status).toBe(200);
  expect((await send("/keys/viewer/revoke", cookie, {})).status).toBe(303);
  expect((await ask("/", viewer)).status).toBe(303);
  expect(await signIn("gl_viewer")).toBe("");
});

it("the server is open, in development, to requests that name this machine", async () => {
  await pages.stop();
  pages = await startPages(await databases.fresh(), { isOpen: true });
  const page = await (await ask("/")).text();
  expect(page).toContain("pools/1.0.0");
  const { port } = new URL(pages.address);
  // A foreign name may resolve to this machine. Its pages could then read what this page shows.
  const asked = (host: string) =>
    new Promise<number | undefined>((done) =>
      get({ port, path: "/", headers: { host } }, (answer) => done(answer.resume().statusCode)),
    );
  expect(
    await Promise.all([`localhost:${port}`, `evil.example:${port}`, "127.0.0.1.evil.example"].map(asked)),
  ).toEqual([200, 303, 303]);
  const pause = "/dashboard/pools/1.0.0/pause";
  expect((await send(pause, "", {}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await send(pause, "", {}, { "sec-fetch-site": "same-origin" })).status).toBe(303);
  // The developer has no account, and creates no API key that would outlive the server.
  const links = [...page.matchAll(/href="(\/[a-z]*)"/g)].map(([, path]) => path);
  expect(links).toContain("/");
  for (const path of ["/keys", "/members", "/audit", "/account", "/projects"]) {
    expect([path, (await ask(path)).status, links.includes(path)]).toEqual([path, 404, false]);
  }
  expect(page).not.toContain("/sign-out");
  expect((await send("/keys", "", { name: "x", role: "Owner" })).status).toBe(404);
});

it("the server shows refusals and failures as pages", async () => {
  const cookie = await signIn("gl_owner");
  const large = await send("/keys", cookie, { name: "x".repeat(1_100_000) });
  expect([large.status, large.headers.get("content-type")]).toEqual([413, "text/html; charset=utf-8"]);
  expect(await large.text()).toContain("<h1>Too large</h1>");
  const other = await ask("/keys", cookie, { method: "POST", body: new FormData() });
  expect([other.status, other.headers.get("content-type")]).toEqual([415, "text/html; charset=utf-8"]);
  const { database } = pages.platform;
  await database.query(SQL`alter table graphloom.api_keys rename to away`);
  const away = await ask("/keys", cookie);
  await database.query(SQL`alter table graphloom.away rename to api_keys`);
  expect([away.status, await away.text()]).toEqual([503, expect.stringContaining("<h1>Unavailable</h1>")]);
});

it("the server accepts a printed sign-in code once", async () => {
  const code = pages.codes.issue("owner");
  const first = await ask(`/sign-in?code=${code}`);
  expect([first.status, first.headers.get("location")]).toEqual([303, "/"]);
  const second = await ask(`/sign-in?code=${code}`);
  expect(await second.text()).toContain("it was already used");
});

it("the server shows subgraphs and their progress, and escapes all foreign text", async () => {
  const cookie = await signIn("gl_viewer");
  const overview = await (await ask("/", cookie)).text();
  expect(overview).toContain("pools/1.0.0");
  expect(overview).toContain('value="50.4"');
  expect(overview).toContain('<td class="number warn">50</td>');
  expect(overview).toContain("1,234 events/s");
  const page = await (await ask("/dashboard/pools/1.0.0", cookie)).text();
  expect(page).toContain("All &#60;b&#62;pools");
  expect(page).toContain("QmPools");
  expect(page).toContain("/api/public/project_1/subgraphs/pools/1.0.0/gn");
  const log = await (await ask("/dashboard/pools/1.0.0/log", cookie)).text();
  expect(log).toContain("swap of &#60;i&#62;nothing&#60;/i&#62;\\u001b[31m");
  const oldest = await (await ask("/dashboard/pools/1.0.0/data/swap?page=last", cookie)).text();
  expect(oldest).toContain("&#60;script&#62;alert(1)");
  expect(oldest).not.toContain("swap-119<");
  expect(await (await ask("/dashboard/pools/1.0.0/data/swap", cookie)).text()).toContain("swap-119<");
  expect((await ask("/dashboard/pools/1.0.0/data/pg_class", cookie)).status).toBe(404);
});

it("the server shows the history of a subgraph, for the range that the address names", async () => {
  const cookie = await signIn("gl_viewer");
  const hour = await (await ask("/dashboard/pools/1.0.0?range=1h", cookie)).text();
  expect(hour).toContain(
    "<title>Lag in blocks in the last hour: at most 80 blocks (10 min), latest 51 blocks</title>",
  );
  expect(hour).toContain(
    "<title>Queries per second in the last hour: at most 2, on average 2, latest 2; 75 % from memory, 25 % from the database</title>",
  );
  expect(hour).toContain("Indexing failed");
  expect(hour).toContain("A server started indexing");
  expect(hour).toContain("Deployed 1.0.0");
  const month = await (await ask("/dashboard/pools/1.0.0?range=30d", cookie)).text();
  expect(month).toContain("<title>Lag in blocks in the last 30 days: at most 80 blocks (10 min)");
});

it("the server filters the log by level and text", async () => {
  const cookie = await signIn("gl_viewer");
  const page = await (await ask("/dashboard/pools/1.0.0/log?level=warn&search=", cookie)).text();
  expect(page).toContain("swap of");
  expect(page).not.toContain("started at block");
});

it("the server follows the log until the user stops it", async () => {
  const cookie = await signIn("gl_viewer");
  const log = async (query: string) => (await ask(`/dashboard/pools/1.0.0/log${query}`, cookie)).text();
  expect(await log("")).toContain("data-live");
  const still = await log("?level=warn&follow=off");
  expect(still).not.toContain("data-live");
  expect(still).toContain('<a href="?level=warn&#38;search=">Follow</a>');
});

it("the server shows how to query an endpoint that needs a key, and where the key goes", async () => {
  const cookie = await signIn("gl_viewer");
  const box = async () => {
    const page = await (await ask("/dashboard/pools/1.0.0", cookie)).text();
    return /<section class="connect".*?<\/section>/s.exec(page)?.[0] ?? "";
  };
  const open = await box();
  expect(open).toContain(`curl ${pages.address}/api/public/project_1/subgraphs/pools/1.0.0/gn`);
  expect(open).not.toContain("authorization");
  await pages.platform.database.query(
    SQL`update graphloom.versions set has_public_endpoint = false, has_private_endpoint = true`,
  );
  const closed = await box();
  const address = `${pages.address}/api/private/project_1/subgraphs/pools/1.0.0/gn`;
  for (const part of [
    `curl ${address} `,
    "-H &#34;authorization: Bearer $KEY&#34;",
    `await fetch(&#34;${address}&#34;`,
    "&#34;authorization&#34;: &#34;Bearer &#34; + key",
    'Create one under <a href="/keys">API keys</a>',
    'aria-label="Copy the private address"',
  ])
    expect(closed).toContain(part);
  await pages.platform.database.query(SQL`update graphloom.versions set has_private_endpoint = false`);
  expect(await box()).toContain("Both endpoints are off.");
});

it("the server shows the reason of a failure", async () => {
  const cookie = await signIn("gl_viewer");
  pages.statuses.set("QmPools", {
    health: "failed",
    isSynced: false,
    nonFatalErrors: [
      { message: "no <amount>", block: 17, handler: "handleSwap", configPlace: "<pools>.json:20:41" },
    ],
    startBlock: 10,
    fatalError: {
      message: "division by zero",
      block: 61,
      handler: "handleSwap",
      place: "src/pool.ts:4:2",
      transactionHash: "0x1234",
      logIndex: 7,
      failedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      isDeterministic: true,
    },
  });
  // An older version that has not failed.
  await pages.platform.database.query(
    SQL`with b as (insert into graphloom.builds (deployment, bundle, network, engine)
        select 'QmOld', bundle, network, engine from graphloom.builds returning deployment)
      insert into graphloom.versions (project, name, version, deployment, created_at)
        select project, name, '0.9.0', b.deployment, now() - interval '1 day' from graphloom.versions, b`,
  );
  const sound = {
    health: "healthy",
    isSynced: true,
    nonFatalErrors: [],
    startBlock: 10,
    headBlock: 60,
  } as const;
  pages.statuses.set("QmOld", sound);
  const page = await (await ask("/dashboard/pools/1.0.0", cookie)).text();
  for (const part of [
    "at block 61",
    '/log?search=block+61">',
    '<a href="https://etherscan.io/tx/0x1234"><span class="mono">0x1234</span></a>, log index 7',
    '<dt>Since</dt><dd><time datetime="2026-01-02T03:04:05.000Z"',
    "Retrying would fail in the same way.",
    'point tags to <a href="/dashboard/pools/0.9.0">pools/0.9.0</a>',
    "in handleSwap",
    "src/pool.ts:4:2: division by zero",
    "&#60;pools&#62;.json:20:41: no &#60;amount&#62;",
  ]) {
    expect(page).toContain(part);
  }
});

it("the server shows a failure that is retried as failed, not as stopped", async () => {
  const cookie = await signIn("gl_viewer");
  const retried = { isRetried: true, failingSince: Date.UTC(2026, 0, 2, 3, 4, 5), attempts: 3 } as const;
  pages.statuses.set("QmPools", {
    health: "failed",
    isSynced: false,
    nonFatalErrors: [],
    startBlock: 10,
    fatalError: {
      message: "no file (tried 3 times)",
      reason: "no file",
      block: 61,
      handler: "handleSwap",
      ...retried,
    },
  });
  const page = await (await ask("/dashboard/pools/1.0.0", cookie)).text();
  expect(page).toContain(
    "<strong>Indexing failed at block 61 in handleSwap. Retrying.</strong>\n<pre>no file</pre>",
  );
  expect(page).toContain('<dt>Since</dt><dd><time datetime="2026-01-02T03:04:05.000Z"');
  expect(page).toContain("<dt>Attempts</dt><dd>3</dd>");
  expect(page).toContain("The server retries this block automatically.");
  expect(page).not.toContain("Indexing stopped");
});

it("the server lets only Editors make changes, and only from its own pages", async () => {
  const path = "/dashboard/pools/1.0.0/pause";
  const pools = { project: "project_1", name: "pools", version: "1.0.0" };
  const isPaused = async () => (await findVersion(pages.platform.database, pools))?.isPaused;
  expect((await send(path, await signIn("gl_viewer"), {})).status).toBe(403);
  const editor = await signIn("gl_editor");
  expect((await send(path, editor, {}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await send(path, editor, {}, { origin: "https://evil.example" })).status).toBe(403);
  expect(await isPaused()).toBe(false);
  expect((await send(path, editor, {})).status).toBe(303);
  expect(await isPaused()).toBe(true);
  expect(pages.reconciled).toHaveLength(1);
  expect((await send("/dashboard/pools/1.0.0/tags", editor, { tag: "beta" })).status).toBe(303);
  expect((await send("/dashboard/pools/1.0.0/tags", editor, { tag: "a b" })).status).toBe(400);
  expect((await send("/dashboard/pools/prod/pause", editor, {})).status).toBe(422);
  expect(
    (await send("/dashboard/pools/prod/endpoints", editor, { private: "on", off: "public" })).status,
  ).toBe(303);
  const prod = await findVersion(pages.platform.database, { ...pools, version: "prod" });
  expect(prod).toMatchObject({ hasPublicEndpoint: false, hasPrivateEndpoint: true });
});

it("the server changes the settings of a version, with an undo for tags, and deletes it once its name is typed", async () => {
  const { database } = pages.platform;
  await database.query(
    SQL`insert into graphloom.versions (project, name, version, deployment)
      select project, name, '2.0.0', deployment from graphloom.versions`,
  );
  const editor = await signIn("gl_editor");
  const own = "/dashboard/pools/2.0.0";
  const look = async (path: string) => (await ask(path, editor)).text();
  const target = async (version: string) =>
    (await findVersion(database, { project: "project_1", name: "pools", version }))?.target;
  /** Sends a form, and returns the page that it leads to. */
  const change = async (form: string, fields: Record<string, string>) => {
    const answer = await send(`${own}/${form}`, editor, fields);
    expect([form, answer.status]).toEqual([form, 303]);
    return look(answer.headers.get("location") ?? "");
  };
  /** Sends the form that undoes the change that a page reports. */
  const undo = async (page: string) => {
    const [, action = "", inputs = ""] =
      /<form[^>]*action="([^"]*)">(<input.*?)<button>Undo</.exec(page) ?? [];
    const fields = [...inputs.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect((await send(action, editor, Object.fromEntries(fields))).status).toBe(303);
  };
  expect(await change("description", { description: "One\r\nTwo" })).toContain("One\nTwo</textarea>");
  expect(await change("endpoints", { private: "on", off: "public" })).toContain('name="private" checked');
  await change("endpoints", { public: "on", off: "private" });

  const moved = await change("tags", { tag: "prod", from: "1.0.0" });
  expect(moved).toContain("The tag prod points here now. Before, it pointed to 1.0.0.");
  await undo(moved);
  expect(await target("prod")).toBe("1.0.0");
  expect(await look(`${own}/settings?tag=prod&before=1.0.0`)).not.toContain("Undo");
  const back = "/dashboard/pools/1.0.0/settings?tag=prod&before=";
  expect(await look(`${back}2.0.0`)).toContain("Before, it pointed to 2.0.0.");
  for (const never of ["9.9.9", "prod"]) expect(await look(back + never)).not.toContain("Undo");
  await undo(await change("tags", { tag: "beta" }));
  expect(await target("beta")).toBeUndefined();
  await change("tags", { tag: "beta" });
  await undo(await change("untag", { tag: "beta" }));
  expect(await target("beta")).toBe("2.0.0");
  await change("untag", { tag: "beta" });

  const refused = await send(`${own}/delete`, editor, { name: "pools" });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("Nothing was deleted"),
  ]);
  expect((await send(`/dashboard/pools/1.0.0/delete`, editor, { name: "pools/1.0.0" })).status).toBe(422);
  await change("delete", { name: "pools/2.0.0" });
  expect((await ask(own, editor)).status).toBe(404);
  const acts = await database.query(
    SQL`select action, subject, address from graphloom.audit where action like 'subgraph.%' order by id`,
  );
  expect(acts.map(({ action, subject }) => [action, subject])).toEqual(
    [
      ["change", "2.0.0"],
      ["change", "2.0.0"],
      ["change", "2.0.0"],
      ["tag", "prod (2.0.0)"],
      ["tag", "prod (1.0.0)"],
      ["tag", "beta (2.0.0)"],
      ["untag", "beta"],
      ["tag", "beta (2.0.0)"],
      ["untag", "beta"],
      ["tag", "beta (2.0.0)"],
      ["untag", "beta"],
      ["delete", "2.0.0"],
    ].map(([action, subject]) => [`subgraph.${action}`, `pools/${subject}`]),
  );
  expect(new Set(acts.map(({ address }) => address))).toEqual(new Set(["127.0.0.1"]));
});

it("the server shows the settings to Viewers, but no way to change them", async () => {
  const page = await (await ask("/dashboard/pools/1.0.0/settings", await signIn("gl_viewer"))).text();
  expect(page).toContain("<dt>Public endpoint</dt><dd>on</dd>");
  expect(page).toContain("<dt>Tags</dt><dd>prod</dd>");
  const [, content = ""] = page.split("<main");
  expect(content).not.toMatch(/<form|<button(?! type="button" class="copy")/);
});

it("the server refuses in the words of the API", async () => {
  const { database } = pages.platform;
  await database.query(
    SQL`insert into graphloom.versions (project, name, version, deployment, has_public_endpoint)
      select project, name, 'closed', deployment, false from graphloom.versions where version = '1.0.0'`,
  );
  await database.query(SQL`update graphloom.tags set has_public_endpoint = true where tag = 'prod'`);
  const editor = await signIn("gl_editor");
  const refusal = async (path: string, form: Record<string, string> = {}) => {
    const answer = await send(`/dashboard/pools/${path}`, editor, form);
    return [answer.status, /<p>(.*?)<\/p>/.exec(await answer.text())?.[1]?.replaceAll("&#34;", '"')];
  };
  expect(await refusal("prod/pause")).toEqual([
    422,
    '"prod" is a tag of "pools" that points to "1.0.0". Name a version instead.',
  ]);
  expect(await refusal("none/endpoints")).toEqual([404, 'There is no subgraph "pools/none".']);
  expect(await refusal("1.0.0/tags", { tag: "closed" })).toEqual([
    409,
    '"pools/closed" is a version. Choose another name for the tag.',
  ]);
  const [status, sentence] = await refusal("closed/tags", { tag: "prod", from: "1.0.0" });
  expect(status).toBe(422);
  expect(sentence).toMatch(
    /^The public endpoint of the tag "pools\/prod" is on, but that of "pools\/closed" is off/,
  );
});

it("the server shows nothing of another project", async () => {
  const cookie = await signIn("gl_foreign");
  expect(await (await ask("/", cookie)).text()).toContain("No subgraphs yet");
  expect((await ask("/dashboard/pools/1.0.0", cookie)).status).toBe(404);
  expect((await send("/dashboard/pools/1.0.0/pause", cookie, {})).status).toBe(404);
  expect((await send("/keys/owner/revoke", cookie, {})).status).toBe(404);
});

it("the server shows, pauses and redelivers webhooks without showing their secrets", async () => {
  const viewer = await signIn("gl_viewer");
  expect(await (await ask("/dashboard/pools/1.0.0/webhooks", viewer)).text()).toContain(
    "/dashboard/pools/1.0.0/webhooks/swaps",
  );
  const path = "/dashboard/pools/1.0.0/webhooks/swaps";
  const page = await (await ask(path, viewer)).text();
  for (const part of ["INSERT", "swap-&#60;1&#62;", "pending", "https://receiver.example<"]) {
    expect(page).toContain(part);
  }
  expect(page).not.toContain("hidden");
  expect(page).toContain("Nothing was measured in the last 24 hours.");
  const editor = await signIn("gl_editor");
  const { database } = pages.platform;
  await database.query(
    SQL`insert into graphloom.webhook_figures (webhook, step, minute, delivered, retried, failed, pending, times)
      select id, s, floor(extract(epoch from now()) / 60)::integer / s * s, 37, 2, 1, 8, array[0, 0, 40]
        from graphloom.webhooks cross join (values (1), (5)) as steps (s) where name = 'swaps'`,
  );
  for (const [range, words] of [
    ["1h", "the last hour"],
    ["30d", "the last 30 days"],
  ]) {
    const shown = await (await ask(`${path}?range=${range}`, viewer)).text();
    expect(shown).toContain(
      `<title>Attempts per minute in ${words}: 3 of 40 attempts failed, 1 of them for good; at most `,
    );
    expect(shown).toContain(`<title>Pending events in ${words}: at most 8, latest 8</title>`);
    expect(shown).toContain(`<title>Time of attempts in ${words}: 95 of 100 ended within 1 ms; `);
    expect(shown).toMatch(
      new RegExp(
        `aria-current="true">${words?.replace("the last hour", "1 hour").replace("the last ", "")}<`,
      ),
    );
  }
  await database.query(SQL`update graphloom.webhook_events set status = 'failed', attempts = 4`);
  expect((await send(`${path}/again`, viewer, { id: deliveryId })).status).toBe(403);
  expect((await send(`${path}/again`, editor, { id: "1; drop table" })).status).toBe(404);
  expect((await send(`${path}/again`, editor, { id: deliveryId })).status).toBe(303);
  const [event] = await database.query(SQL`select status from graphloom.webhook_events`);
  expect(event).toEqual({ status: "pending" });
  expect((await send(`${path}/pause`, editor, {})).status).toBe(303);
  expect(await (await ask(path, editor)).text()).toContain(">paused<");
  expect((await ask("/dashboard/pools/prod/webhooks/swaps", editor)).status).toBe(404);
  const foreign = await signIn("gl_foreign");
  expect((await ask(path, foreign)).status).toBe(404);
  expect((await send(`${path}/again`, foreign, { id: deliveryId })).status).toBe(404);
});

it("the server creates, changes and deletes webhooks, and sends failed events again", async () => {
  const { database } = pages.platform;
  const editor = await signIn("gl_editor");
  const own = "/dashboard/pools/1.0.0/webhooks";
  const wrong = await send(own, editor, { name: "more", entity: "swap", url: "ftp://example.com" });
  expect([wrong.status, await wrong.text()]).toEqual([
    400,
    expect.stringContaining("The URL must be a complete URL"),
  ]);
  const asked = {
    name: "more",
    entity: "swap",
    url: "https://example.com/?key=1",
    retries: "2",
    timeout: "7",
  };
  expect((await send(own, await signIn("gl_viewer"), asked)).status).toBe(403);
  const made = await send(own, editor, asked);
  expect([made.status, made.headers.get("location")]).toEqual([303, `${own}/more`]);
  const once = await (await ask(`${own}/more`, editor)).text();
  const [secret = ""] = /whs_[\w-]+/.exec(once) ?? [];
  expect(secret).not.toBe("");
  const again = await (await ask(`${own}/more`, editor)).text();
  expect(again).not.toContain(secret);
  expect(again).toContain("at most 2, the first after 30 s; each attempt times out after 7 s");
  const many = await send(`${own}/more/change`, editor, { retries: "11" });
  expect([many.status, await many.text()]).toEqual([
    400,
    expect.stringContaining("The number of retries must"),
  ]);
  // A new URL gets a new secret, which the page shows once, or the one that is entered.
  const moved = await send(`${own}/more/change`, editor, { url: "https://example.org/new" });
  expect([moved.status, moved.headers.get("location")]).toEqual([303, `${own}/more`]);
  const [fresh = ""] = /whs_[\w-]+/.exec(await (await ask(`${own}/more`, editor)).text()) ?? [];
  expect([fresh === "", fresh === secret]).toEqual([false, false]);
  const back = { url: "https://example.com/?key=1", secret: "mine" };
  expect((await send(`${own}/more/change`, editor, back)).status).toBe(303);
  expect(await (await ask(`${own}/more`, editor)).text()).not.toContain("The new secret");
  const long = await send(own, editor, { ...asked, name: "n".repeat(501) });
  expect([long.status, await long.text()]).toEqual([400, expect.stringContaining("at most 42 characters")]);
  expect((await send(`${own}/more/change`, editor, { url: "", interval: "9" })).status).toBe(303);
  const [kept] = await database.query(
    SQL`select url, retries, retry_interval from graphloom.webhooks where name = 'more'`,
  );
  expect(kept).toEqual({ url: "https://example.com/?key=1", retries: "2", retry_interval: "9" });
  expect((await send(`${own}/more/delete`, editor, {})).status).toBe(400);
  expect((await send(`${own}/more/delete`, editor, { name: "more" })).status).toBe(303);
  expect((await ask(`${own}/more`, editor)).status).toBe(404);

  await database.query(
    SQL`update graphloom.webhook_events set status = 'failed', attempts = 4, attempted_at = now(), answer_status = 500,
      error = 'the receiver answered with status 500', answer_body = E'no <table>\nfor swaps'`,
  );
  const delivery = await (await ask(`${own}/swaps/deliveries/${deliveryId}`, editor)).text();
  for (const part of [
    "no &#60;table&#62;\nfor swaps</pre>",
    "status 500",
    "&#34;id&#34;: &#34;swap-&#60;1&#62;&#34;",
  ]) {
    expect(delivery).toContain(part);
  }
  expect((await ask(`${own}/swaps/deliveries/none`, editor)).status).toBe(404);
  expect(await (await ask(`${own}/swaps`, editor)).text()).toContain("Send the failed event again");
  expect((await send(`${own}/swaps/failed-again`, editor, {})).status).toBe(303);
  expect(await database.query(SQL`select status, attempts from graphloom.webhook_events`)).toEqual([
    { status: "pending", attempts: "0" },
  ]);
  const acts = await database.query(
    SQL`select action, subject from graphloom.audit where action like 'webhook.%' order by id`,
  );
  expect(acts.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
    ...[
      "create more",
      "change more",
      "change more",
      "change more",
      "delete more",
      "redeliver-failed swaps",
    ].map((act) => `webhook.${act}`),
  ]);
});

it("the server says when an event that failed is sent again", async () => {
  const { database } = pages.platform;
  await database.query(
    SQL`update graphloom.webhook_events set attempts = 2, due_at = '2031-02-03T04:05:06Z', attempted_at = now(), answer_status = 500`,
  );
  const cookie = await signIn("gl_viewer");
  const own = "/dashboard/pools/1.0.0/webhooks/swaps";
  const delivery = await (await ask(`${own}/deliveries/${deliveryId}`, cookie)).text();
  expect(delivery).toMatch(
    /<dt>Attempts<\/dt><dd>2<\/dd>.*<dt>Next attempt<\/dt><dd><time datetime="2031-02-03T04:05:06/s,
  );
  expect(await (await ask(own, cookie)).text()).toMatch(/Next attempt <time datetime="2031-02-03T04:05:06/);
});

it("the server draws the map for members of the project only", async () => {
  const path = "/dashboard/pools/1.0.0/map.svg";
  expect((await ask(path)).status).toBe(401);
  const viewer = await signIn("gl_viewer");
  const answer = await ask(path, viewer);
  expect(answer.headers.get("content-type")).toBe("image/svg+xml");
  const drawing = await answer.text();
  for (const part of ["Factory", "PoolCreated", "Pool"]) expect(drawing).toContain(part);
  const decorated = await ask(`${path}?part=1`, viewer);
  expect([decorated.headers.get("cache-control"), await decorated.text()]).toEqual([
    "no-store",
    expect.stringContaining('<a href="/dashboard/pools/1.0.0/data/swap">'),
  ]);
  const foreign = await signIn("gl_foreign");
  for (const each of [path, `${path}?part=1`]) expect((await ask(each, foreign)).status).toBe(404);
  const page = await (await ask("/dashboard/pools/1.0.0/map", viewer)).text();
  expect(page).toContain("does not say which event stores which entity type");
});

it("the server names a map after the version that the page shows, even when versions share a build", async () => {
  await pages.platform.database.query(
    SQL`insert into graphloom.versions (project, name, version, deployment)
      values ('project_2', 'other', '9.9.9', 'QmPools')`,
  );
  const [own, foreign] = [await signIn("gl_viewer"), await signIn("gl_foreign")];
  expect(await (await ask("/dashboard/pools/1.0.0/map.svg", own)).text()).toContain("Map of pools/1.0.0<");
  const drawing = await (await ask("/dashboard/other/9.9.9/map.svg", foreign)).text();
  expect(drawing).toContain("Map of other/9.9.9<");
  expect(drawing).not.toContain("pools");
});

it("the server creates API keys with at most the creator's role, and shows each once", async () => {
  const editor = await signIn("gl_editor");
  expect((await send("/keys", editor, { name: "x", role: "Owner" })).status).toBe(403);
  const { database } = pages.platform;
  const made = await send("/keys", editor, { name: "ci", role: "Viewer" });
  expect([made.status, made.headers.get("location")]).toEqual([303, "/keys"]);
  expect((await ask("/keys", editor, { method: "HEAD" })).status).toBe(200);
  const page = await (await ask("/keys", editor)).text();
  const key = /gl_[\w-]{32}/.exec(page)?.[0] ?? "";
  expect(await signIn(key)).not.toBe("");
  const again = await (await ask("/keys", editor)).text();
  expect([again, again]).toEqual([expect.stringContaining("<td>ci</td>"), expect.not.stringContaining(key)]);
  expect(await database.query(SQL`select name from graphloom.api_keys where name = 'ci'`)).toHaveLength(1);
  expect(pages.logged.join("")).not.toContain(key);
  expect((await send("/keys/owner/revoke", editor, {})).status).toBe(403);
});

it("the server loads nothing from other hosts", async () => {
  const cookie = await signIn("gl_viewer");
  const answer = await ask("/dashboard/pools/1.0.0", cookie);
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  const page = await answer.text();
  const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address ?? "");
  expect(loaded).toContain("/assets/style.css");
  expect(loaded.filter((address) => /^https?:/.test(address) && !address.startsWith(pages.address))).toEqual(
    [],
  );
  for (const asset of ["/assets/style.css", "/assets/live.js", "/assets/icon.svg"]) {
    expect((await ask(asset)).status).toBe(200);
  }
});
