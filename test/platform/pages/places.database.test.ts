import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ArchiveReading } from "../../../src/hosting/engine.js";
import { countEdgeRequests } from "../../../src/platform/edge/edge-endpoints.js";
import { NodeCounts } from "../../../src/platform/figures/node-counts.js";
import { readNodes } from "../../../src/platform/figures/read-nodes.js";
import type { Html } from "../../../src/platform/http/html.js";
import { nodePage } from "../../../src/platform/pages/nodes/node-page.js";
import type { OwnDataService } from "../../../src/platform/platform.js";
import { listSecrets, openSecret, setSecretUses } from "../../../src/platform/secrets/secrets.js";
import { SQL } from "../../../src/store/database/database.js";
import { onEither, world as realWorld } from "../../support/database/databases.js";
import { startPages } from "./harness.js";

const databases = onEither();
let pages: Awaited<ReturnType<typeof startPages>>;
/** The time of the server, where a test stops its clock. */
let stopped: number | undefined;
const world = { ...realWorld, now: () => stopped ?? realWorld.now() };
const nodeCounts = new NodeCounts(() => 0);
const cookies = new Map<string, string>();

beforeAll(async () => {
  const nodes = new Map([
    ["mainnet", ["https://user:pass@node.example/v3/0123456789abcdef", "https://spare.example:8545/"]],
    ["base", ["https://base.example"]],
  ]);
  pages = await startPages(await databases.fresh(), { world, nodes, nodeCounts, archive: { chains: [] } });
  for (const name of ["owner", "editor", "viewer", "foreign"]) {
    const answer = await send("/sign-in", "", { key: `gl_${name}` });
    cookies.set(name, (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "");
  }
});
afterAll(() => pages.stop());

const ask = (path: string, who: string, init: RequestInit = {}) =>
  fetch(pages.address + path, {
    redirect: "manual",
    ...init,
    headers: { cookie: cookies.get(who) ?? "", ...init.headers },
  });

const send = (path: string, who: string, fields: Record<string, string>, headers = {}) =>
  ask(path, who, { method: "POST", body: new URLSearchParams(fields), headers });

const look = async (path: string, who: string) => (await ask(path, who)).text();

/** What a form is refused with. */
async function refusal(path: string, who: string, fields: Record<string, string>) {
  const answer = await send(path, who, fields);
  return [answer.status, await answer.text()];
}

describe("The pages of secrets", () => {
  const value = { "value.protocol": "postgres", "value.host": "db.example", "value.port": "5432" };
  const jdbc = { ...value, "value.databaseName": "pools", "value.user": "writer" };
  const whole = { type: "jdbc", ...jdbc, "value.password": ' p&"w ' };
  const stored = async (name: string) =>
    JSON.parse(
      (await openSecret(pages.platform.database, { project: "project_1", name }, pages.platform.secretKey)) ??
        "null",
    );

  it("create, replace, describe and delete them, and never show a value", async () => {
    expect(await look("/secrets", "editor")).toContain("No secrets yet");
    const types = await look("/new-secret", "editor");
    expect(types).toContain('<a href="/new-secret?type=kafka">kafka</a>');
    const form = await look("/new-secret?type=jdbc", "editor");
    expect(form).toMatch(/name="value\.password" required type="password"/);
    const made = await send("/secrets", "editor", {
      ...whole,
      name: "POOLS_DB",
      description: "<b>Pools</b>",
    });
    expect([made.status, made.headers.get("location")]).toEqual([303, "/secrets/POOLS_DB"]);
    expect(await stored("POOLS_DB")).toEqual({
      type: "jdbc",
      protocol: "postgres",
      host: "db.example",
      port: 5432,
      databaseName: "pools",
      user: "writer",
      password: ' p&"w ',
    });

    const replaced = { ...jdbc, "value.password": "a-new-password", "value.user": "other" };
    expect((await send("/secrets/POOLS_DB/value", "editor", replaced)).status).toBe(303);
    expect((await stored("POOLS_DB")).password).toBe("a-new-password");
    expect((await send("/secrets/POOLS_DB/description", "editor", { description: "" })).status).toBe(303);
    await send("/secrets/POOLS_DB/description", "editor", { description: "pools \u202e" });
    for (const path of ["/secrets", "/secrets/POOLS_DB"]) {
      const page = await look(path, "editor");
      expect(page).toContain("pools \\u202e");
      for (const part of ["a-new-password", "db.example", "writer"]) expect(page).not.toContain(part);
    }
    expect(pages.logged.join("")).not.toMatch(/a-new-password|p&"w/);

    const { database } = pages.platform;
    await setSecretUses(database, "project_1", 'the pipeline "pools"', ["POOLS_DB"]);
    const used = await look("/secrets/POOLS_DB", "editor");
    expect(used).toContain('the pipeline <a href="/pipelines/pools">pools</a>');
    expect(used).not.toContain("/secrets/POOLS_DB/delete");
    const ofList = await look("/secrets", "viewer");
    expect(ofList).toMatch(/<time [^>]*>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC<\/time>/);
    expect(ofList).toContain('the pipeline <a href="/pipelines/pools">pools</a>');
    expect(await refusal("/secrets/POOLS_DB/delete", "editor", { name: "POOLS_DB" })).toEqual([
      422,
      expect.stringContaining("still used by the pipeline &#34;pools&#34;"),
    ]);
    await setSecretUses(database, "project_1", 'the pipeline "pools"', []);
    expect(await refusal("/secrets/POOLS_DB/delete", "editor", { name: "pools" })).toEqual([
      400,
      expect.stringContaining("Nothing was deleted"),
    ]);
    expect((await send("/secrets/POOLS_DB/delete", "editor", { name: "POOLS_DB" })).status).toBe(303);
    expect((await ask("/secrets/POOLS_DB", "editor")).status).toBe(404);
  });

  it("refuse what the API refuses, name the fields, and repeat no value", async () => {
    for (const [fields, sentence] of [
      [{ ...whole, name: "a b" }, "name must consist of"],
      [{ ...whole, name: "A", "value.port": "many-ports" }, "port must be a whole number"],
      [{ ...whole, name: "A", "value.password": "" }, "password is required"],
      [{ ...whole, name: "A", type: "none" }, "value.type must be one of"],
      [{ ...whole, name: "A", description: "x".repeat(501) }, "at most 500 characters"],
    ] as const) {
      const [status, text] = await refusal("/secrets", "editor", fields);
      expect([status, text]).toEqual([400, expect.stringContaining(sentence)]);
      expect(text).not.toMatch(/many-ports|p&#38;/);
    }
    expect((await send("/secrets", "editor", { ...whole, name: "TWICE" })).status).toBe(303);
    const [status] = await refusal("/secrets", "editor", { ...whole, name: "TWICE" });
    expect(status).toBe(409);
    // The type stays that of the stored secret, whatever the form says.
    const other = { type: "httpauth", "value.secretKey": "x", "value.secretValue": "y" };
    expect((await send("/secrets/TWICE/value", "editor", other)).status).toBe(400);
    expect((await stored("TWICE")).type).toBe("jdbc");
  });

  it("show a refused form again with the user's input, but without values", async () => {
    const typed = { ...whole, name: "TWICE", description: "Pools & more" };
    const [status, text] = await refusal("/secrets", "editor", typed);
    expect(status).toBe(409);
    for (const part of [
      'role="alert"',
      "already exists",
      'name="name" value="TWICE"',
      'value="Pools &#38; more"',
      'name="value.password"',
      "Sign out",
    ])
      expect(text).toContain(part);
    for (const part of ["db.example", "writer", "p&#38;"]) expect(text).not.toContain(part);
  });

  it("are for the project's own members, and refuse changes by Viewers or from other sites", async () => {
    await send("/secrets", "editor", { ...whole, name: "OURS" });
    const list = await look("/secrets", "viewer");
    expect(list).toContain("OURS");
    expect(list).not.toContain("/new-secret");
    const [, content = ""] = (await look("/secrets/OURS", "viewer")).split("<main");
    expect(content).not.toMatch(/<form|<button/);
    expect((await ask("/new-secret", "viewer")).status).toBe(403);
    const site = { "sec-fetch-site": "cross-site" };
    for (const action of ["", "/OURS/value", "/OURS/description", "/OURS/delete"]) {
      const fields = { ...whole, name: action.endsWith("delete") ? "OURS" : "MORE" };
      expect((await send(`/secrets${action}`, "viewer", fields)).status).toBe(403);
      expect((await send(`/secrets${action}`, "editor", fields, site)).status).toBe(403);
      if (action !== "") expect((await send(`/secrets${action}`, "foreign", fields)).status).toBe(404);
    }
    expect((await ask("/secrets/OURS", "foreign")).status).toBe(404);
    expect(await look("/secrets", "foreign")).toContain("No secrets yet");
    const names = (await listSecrets(pages.platform.database, "project_1")).map(({ name }) => name);
    expect(names).toEqual(["OURS", "TWICE"]);
  });

  it("list many in pages", async () => {
    await pages.platform.database.query(
      SQL`insert into graphloom.secrets (project, name, type, sealed_value)
        select 'project_2', 'S' || lpad(i::text, 3, '0'), 'jdbc', '\\x00' from generate_series(1, 201) i`,
    );
    const first = await look("/secrets", "foreign");
    expect([first.includes(">S200<"), first.includes(">S201<")]).toEqual([true, false]);
    const rest = await look("/secrets?after=S200", "foreign");
    expect([rest.includes(">S200<"), rest.includes(">S201<")]).toEqual([false, true]);
  });
});

describe("The pages of endpoints", () => {
  const keyIn = (page: string): string => /ge_[\w-]+/.exec(page)?.[0] ?? "";

  it("create an endpoint, show its key once, and show it again on request", async () => {
    expect(await look("/endpoints", "viewer")).toContain("No endpoints yet");
    const tier = "edge-tier-6krpm-total-500rpm-per-ip";
    const asked = { name: "a/b ü", product: "rpc", budget: tier, domains: "example.com\r\n*.example.org" };
    const made = await send("/endpoints", "editor", asked);
    const own = "/endpoints/a%2Fb%20%C3%BC";
    expect([made.status, made.headers.get("location")]).toEqual([303, own]);
    const once = await look(own, "editor");
    const key = keyIn(once);
    expect(key).not.toBe("");
    for (const part of [
      "6,000 requests a minute, 500 from one address",
      "example.com, *.example.org",
      `id="address-mainnet">${pages.address}/edge/rpc/mainnet<`,
      'aria-label="Copy the address of base"',
    ]) {
      expect(once).toContain(part);
    }
    for (const part of ["node.example", "spare.example", "0123456789abcdef"])
      expect(once).not.toContain(part);
    expect(keyIn(await look(own, "editor"))).toBe("");
    expect((await send(`${own}/key`, "viewer", {})).status).toBe(303);
    expect(keyIn(await look(own, "editor"))).toBe("");
    expect(keyIn(await look(own, "viewer"))).toBe(key);
    expect(keyIn(await look(own, "viewer"))).toBe("");
    expect(pages.logged.join("")).not.toContain(key);

    const { database, world } = pages.platform;
    const count = { time: world.now() - 3_600_000, requests: 1_234, errors: 5 };
    await countEdgeRequests(database, { project: "project_1", name: "a/b ü" }, count);
    await countEdgeRequests(
      database,
      { project: "project_1", name: "a/b ü" },
      { ...count, time: world.now() - 90_000_000 },
    );
    expect(await look(own, "viewer")).toContain("1,234 requests, 5 failed");
    expect(await look("/endpoints", "viewer")).toContain('<td class="number">1,234</td>');
  });

  it("keep a key for the page that the reader opens, while the page before renews itself", async () => {
    await send("/endpoints", "editor", { name: "renewed", product: "rpc" });
    const own = "/endpoints/renewed";
    await look(own, "editor");
    expect((await send(`${own}/key`, "editor", {})).status).toBe(303);
    const leaving = new AbortController();
    const renewal = await ask(own, "editor", {
      headers: { accept: "text/event-stream, text/html", "graphloom-renewal": "x" },
      signal: leaving.signal,
    });
    expect(renewal.headers.get("content-type")).toContain("text/event-stream");
    const { value } = (await renewal.body?.getReader().read()) ?? {};
    leaving.abort();
    expect(keyIn(new TextDecoder().decode(value))).toBe("");
    expect(keyIn(await look(own, "editor"))).not.toBe("");
    await send(`${own}/delete`, "editor", { name: "renewed" });
  });

  it("show a refused form again with the user's input", async () => {
    const typed = {
      name: " ours \u202e",
      product: "rpc",
      domains: "no domain?\n<b>",
      budget: "edge-tier-6krpm-total-500rpm-per-ip",
    };
    const [status, text] = await refusal("/endpoints", "editor", typed);
    expect(status).toBe(400);
    for (const part of [
      'role="alert"',
      "<details open",
      'value=" ours \\u202e"',
      ">no domain?\n&#60;b&#62;</textarea>",
      '<option value="edge-tier-6krpm-total-500rpm-per-ip" selected>',
      "Sign out",
    ])
      expect(text).toContain(part);
  });

  it("change, pause and delete an endpoint once its name is typed", async () => {
    await send("/endpoints", "editor", { name: "mine", product: "rpc" });
    const own = "/endpoints/mine";
    const change = { budget: "edge-tier-unlimited-total-100rpm-per-ip", domains: "localhost:3000" };
    expect((await send(`${own}/change`, "editor", change)).status).toBe(303);
    const page = await look(own, "editor");
    expect(page).toContain("100 requests a minute from one address");
    expect(page).toContain(">localhost:3000</textarea>");
    for (const [fields, sentence] of [
      [{ budget: "edge-tier-1rpm-total-1rpm-per-ip" }, "The limit is not one of the list"],
      [{ domains: "https://example.com" }, "https://example.com is not a domain"],
      [{ domains: "a.de ".repeat(101) }, "at most 100 domains"],
    ] as const) {
      expect(await refusal(`${own}/change`, "editor", fields)).toEqual([
        400,
        expect.stringContaining(sentence),
      ]);
    }
    expect((await send(`${own}/pause`, "editor", {})).status).toBe(303);
    expect(await look("/endpoints", "viewer")).toContain(">paused<");
    expect((await send(`${own}/resume`, "editor", {})).status).toBe(303);
    expect((await send(`${own}/delete`, "editor", { name: "other" })).status).toBe(400);
    expect((await send(`${own}/delete`, "editor", { name: "mine" })).status).toBe(303);
    expect((await ask(own, "editor")).status).toBe(404);
    expect(await refusal("/endpoints", "editor", { name: "a\u202eb" })).toEqual([
      400,
      expect.stringContaining("name must not contain control characters"),
    ]);
  });

  it("are for the project's own members, and refuse changes by Viewers", async () => {
    await send("/endpoints", "editor", { name: "ours", product: "rpc" });
    const [, content = ""] = (await look("/endpoints/ours", "viewer")).split("<main");
    expect(content.match(/action="[^"]*"/g)).toEqual(['action="/endpoints/ours/key"']);
    expect((await send("/endpoints", "viewer", { name: "x", product: "rpc" })).status).toBe(403);
    for (const action of ["change", "pause", "resume", "delete"]) {
      const path = `/endpoints/ours/${action}`;
      expect((await send(path, "viewer", { name: "ours" })).status).toBe(403);
      expect((await send(path, "foreign", { name: "ours" })).status).toBe(404);
    }
    expect((await send("/endpoints/ours/key", "foreign", {})).status).toBe(404);
    expect((await ask("/endpoints/ours", "foreign")).status).toBe(404);
  });

  it("say that a key of the data service is of no use without one", async () => {
    expect(await look("/endpoints", "editor")).not.toContain('<option value="data">');
    await send("/endpoints", "editor", { name: "data", product: "data" });
    expect(await look("/endpoints/data", "editor")).toContain("This server has no data service");
  });
});

describe("The page of nodes", () => {
  const rowOf = (page: string, id: string) =>
    new RegExp(`<tr id="${id}">(.*?)</tr>`, "s").exec(page)?.[1]?.replaceAll(/<[^>]*>|\s+/g, " ") ?? "";

  it("shows the requests of each node, the users of its chain, and only the host of its address", async () => {
    const ask = (outcome: "answered" | "limited" | "away", node: string, why?: string) =>
      nodeCounts.meters.askedNode("mainnet", outcome, 0.25, node, why);
    for (let count = 0; count < 1_200; count += 1) ask("answered", "https://node.example");
    for (let count = 0; count < 30; count += 1) ask("limited", "https://node.example");
    ask("away", "https://spare.example:8545", "HTTP status 503: <b>too many</b>");
    const page = await look("/nodes", "viewer");
    expect(rowOf(page, "node-mainnet-0")).toMatch(
      /mainnet .*110 .*pools\/1\.0\.0 .*node\.example .*throttles .*250 ms on average .*1,230 .* 0 .* 30 /,
    );
    expect(rowOf(page, "node-mainnet-0")).not.toContain("Last failure");
    expect(rowOf(page, "node-mainnet-1")).toMatch(
      /^ *spare\.example:8545 .*does not answer .*Last failure, [^:]* ago: HTTP status 503: &#60;b&#62;too many&#60;\/b&#62; .* 1 .* 1 .* 0/,
    );
    expect(rowOf(page, "node-base-0")).toMatch(
      /base .*nothing follows it .*nothing .*base\.example .*not asked/,
    );
    expect(page).toContain('href="/dashboard/pools/1.0.0"');
    expect(page).toContain("data-live");
    for (const secret of ["0123456789abcdef", "user:", "pass@", "/v3"]) expect(page).not.toContain(secret);
  });

  it("shows which pipelines and whether the data service use a chain, also to programs", async () => {
    const { database } = pages.platform;
    await database.query(
      SQL`insert into graphloom.pipelines (project, name, form, is_job, version, last_version, status)
        values ('project_1', 'moves <1>', 'pipeline', false, 2, 2, 'ACTIVE')`,
    );
    const add = (version: string, dataset: string) =>
      database.query(
        SQL`insert into graphloom.pipeline_versions
            (project, name, version, definition, variables, document, topology, resource_size)
          values ('project_1', 'moves <1>', $1::integer, '', '{}', $2::jsonb, '[]', 's')`,
        [
          version,
          JSON.stringify({
            sources: { one: { type: "dataset", dataset_name: dataset }, two: { entity: "swap" } },
          }),
        ],
      );
    await add("1", "ethereum.raw_logs");
    await add("2", "base.raw_logs");
    const page = await look("/nodes", "viewer");
    expect(rowOf(page, "node-base-0")).toMatch(/pipeline +moves &#60;1&#62; /);
    expect(page).toContain('href="/pipelines/moves%20%3C1%3E"');
    expect(rowOf(page, "node-mainnet-0")).not.toContain("moves");
    expect(page).not.toContain("the data service");
    const failure = { at: -120_000, why: "No answer from <base>" };
    const dataService = {
      service: {},
      networks: ["base"],
      nodeFailure: (network: string, node: string) =>
        network === "base" && node === "https://base.example" ? failure : undefined,
    } as unknown as OwnDataService;
    const platform = { ...pages.platform, settings: { ...pages.platform.settings, dataService } };
    const chains = await readNodes(platform, "project_1", undefined, { warn: () => undefined });
    expect(chains.map(({ network, pipelines, isOfData }) => [network, pipelines, isOfData])).toEqual([
      ["mainnet", [], false],
      ["base", ["moves <1>"], true],
    ]);
    const [, ofBase = ""] = String((nodePage(chains, 0).body as Html).markup).split('id="node-base-0"');
    expect(ofBase).toContain("the data service");
    expect(ofBase).toContain("Last failure for the data service, 2 min ago: No answer from &#60;base&#62;");
  });

  it("names nothing of another project", async () => {
    const page = await look("/nodes", "foreign");
    expect(rowOf(page, "node-mainnet-0")).toContain("node.example");
    for (const part of ["pools", "moves", ">110<"]) expect(page).not.toContain(part);
  });

  it("shows the contents of the archive, the set-aside segments with the reason, and what to do", async () => {
    const chain = { chainId: "1", networks: ["mainnet"], bytes: 3_000_000, segments: 2, final: 1_200 };
    const aside = [{ kind: "logs", from: 5, to: 9, why: "block 5 is <0x12>, but the final chain has 0x34" }];
    const show = (...archives: readonly ArchiveReading[]): string =>
      String((nodePage([], 0, archives).body as Html).markup);
    const spoiled = show({ chains: [{ ...chain, ranges: [{ from: 0, to: 1_234 }], aside }] });
    expect(rowOf(spoiled, "archive-0")).toMatch(
      /mainnet +chain 1 .*0 to 1,234 .*1 segment set aside .*logs of blocks 5 to 9: block 5 is &#60;0x12&#62;, but .* 1,200 .* 3 MB/,
    );
    expect(spoiled).toContain("graphloom archive prune --damaged");
    const whole = show({ chains: [{ ...chain, ranges: [], aside: [] }] });
    expect(rowOf(whole, "archive-0")).toContain("in use");
    expect(whole).not.toContain("prune");
    expect(show({ chains: [], unreadable: "EACCES" })).toContain("cannot be read (EACCES)");
    expect(show({ chains: [] })).toContain("The archive is empty");
    expect(show()).not.toContain("Archive");
    // The page asks the engines.
    expect(await look("/nodes", "viewer")).toContain("The archive is empty");
  });

  it("puts a chain with a problem first, and says what it is", async () => {
    const status = pages.statuses.get("QmPools");
    if (!status) throw new Error("the status is there");
    stopped = realWorld.now();
    const nodeState = { kind: "away", since: stopped - 120_000, why: "No answer from <the node>" } as const;
    pages.statuses.set("QmPools", { ...status, nodeState });
    const page = await look("/nodes", "viewer");
    expect(page).toContain("<title>(1 failed) Nodes");
    expect(page.indexOf('id="node-mainnet-0"')).toBeLessThan(page.indexOf('id="node-base-0"'));
    expect(rowOf(page, "node-mainnet-0")).toMatch(
      /node unavailable .*2 min.*No answer from &#60;the node&#62;/,
    );
    pages.statuses.set("QmPools", status);
    stopped = undefined;
  });
});
