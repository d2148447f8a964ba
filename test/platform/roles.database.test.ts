import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allMeters } from "../../src/base/meters.js";
import { oneClient } from "../../src/platform/endpoints/options.js";
import { NodeCounts } from "../../src/platform/figures/node-counts.js";
import { metricsPart } from "../../src/platform/metrics/metrics-part.js";
import { createServerMetrics } from "../../src/platform/metrics/server-metrics.js";
import { createSignInCodes } from "../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../src/platform/people/accounts.js";
import { addApiKey, type Role, revokeApiKey, roles } from "../../src/platform/people/api-keys.js";
import { invite } from "../../src/platform/people/invitations.js";
import { createPasswords } from "../../src/platform/people/passwords/passwords.js";
import { beginKeySession, beginSession } from "../../src/platform/people/sign-in/sessions.js";
import { serverParts } from "../../src/platform/server-parts.js";
import { setTag } from "../../src/platform/subgraphs/versions.js";
import { addEvents } from "../../src/platform/webhooks/outbox.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { findDeployment, layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { TableFeed } from "../../src/store/tables/table-feed.js";
import { onEither, world } from "../support/database/databases.js";
import { type DoubleServer, json, startDouble } from "../support/network/double-server.js";
import { freshStatus } from "../support/server/hosting-double.js";
import { sampleBundle } from "../support/server/management-sample.js";
import { addPerson } from "../support/server/people.js";
import { deployForm, startPlatform, type TestPlatform } from "../support/server/platform-server.js";

/** The callers. Each role of our project calls with a key and as a person. */
const insiders = roles.flatMap((role) => [`key ${role}`, `person ${role}`] as const);
const strangers = ["foreign key", "foreign person"] as const;
const nobody = ["none", "unknown", "revoked key", "person signed out"] as const;
type Who = (typeof insiders)[number] | (typeof strangers)[number] | (typeof nobody)[number];
const everybody: readonly Who[] = [...nobody, ...strangers, ...insiders];

/** One of each kind, for routes that answer all callers alike. */
const some: readonly Who[] = ["none", "revoked key", "foreign person", "key Owner", "person Viewer"];

/** How a caller is answered: let in, asked to sign in, refused for their role, or told that nothing exists. */
type Outcome = "in" | "sign in" | "refused" | "absent";
/** What a route answers to each caller. */
type Row = (who: Who) => Outcome;

const isNobody = (who: Who): boolean => nobody.some((one) => one === who);
const isStranger = (who: Who): boolean => strangers.some((one) => one === who);
const hasRole = (who: Who, role: Role): boolean =>
  roles.indexOf(who.split(" ")[1] as Role) >= roles.indexOf(role);
/** A page or form about something in our project. */
const ours =
  (role: Role): Row =>
  (who) =>
    isNobody(who) ? "sign in" : isStranger(who) ? "absent" : hasRole(who, role) ? "in" : "refused";
/** A page or form about the caller's own project; strangers have theirs. */
const own =
  (role: Role): Row =>
  (who) =>
    isNobody(who) ? "sign in" : isStranger(who) || hasRole(who, role) ? "in" : "refused";
/** Something that people with an account can do, but keys cannot. */
const people =
  (ofKeys: Outcome): Row =>
  (who) =>
    isNobody(who) ? "sign in" : who.includes("person") ? "in" : ofKeys;
const anyone: Row = () => "in";
/** Programs are refused instead of being redirected to the sign-in page. */
const program =
  (row: Row): Row =>
  (who) =>
    row(who) === "sign in" ? "refused" : row(who);

const subgraph = "/dashboard/:name/:version";
const webhook = `${subgraph}/webhooks/:webhook`;

/** The answers of every route outside of the management API, which has its own test. */
const rows: Readonly<Record<string, Row>> = {
  "GET /": own("Viewer"),
  "GET /*": () => "absent",
  "GET /assets/frame.js": anyone,
  "GET /assets/style.css": anyone,
  "GET /assets/copy.js": anyone,
  "GET /assets/times.js": anyone,
  "GET /assets/live.js": anyone,
  "GET /assets/live-worker.js": anyone,
  "GET /assets/map.js": anyone,
  "GET /assets/morph.js": anyone,
  "GET /assets/rows.js": anyone,
  "GET /assets/zoom.js": anyone,
  "GET /assets/touches.js": anyone,
  "GET /assets/zoom-chart.js": anyone,
  "GET /assets/uplot.js": anyone,
  "GET /assets/uplot.css": anyone,
  "GET /assets/icon.svg": anyone,
  "GET /docs": anyone,
  "GET /docs.json": anyone,
  // This server has no documentation installed.
  "GET /docs/:name": () => "absent",
  "GET /docs/:name.json": () => "absent",
  "GET /docs/:name.md": () => "absent",
  "GET /llms.txt": anyone,
  "POST /mcp": program(own("Viewer")),
  // Which of its pages the visitor may see is decided for each of them.
  "POST /live": program(own("Viewer")),
  "GET /llms-full.txt": anyone,
  "GET /graphiql/:file": () => "absent",
  "GET /health": anyone,
  "GET /ready": anyone,
  "GET /api/errors": anyone,
  "GET /api/errors/:slug": anyone,
  "GET /metrics": (who) => (isNobody(who) ? "refused" : "in"),
  // Keys of projects are not keys of endpoints.
  "POST /edge/rpc/:network": () => "refused",
  "GET /edge/data/*": () => "refused",
  "POST /api/public/:project/subgraphs/:name/:version/gn": () => "absent",
  "GET /api/public/:project/subgraphs/:name/:version/gn": () => "absent",
  "POST /api/private/:project/subgraphs/:name/:version/gn": (who) =>
    who === "foreign key" ? "refused" : program(ours("Viewer"))(who),
  "POST /api/private/:project/index-node/graphql": (who) =>
    who === "foreign key" ? "refused" : program(ours("Viewer"))(who),
  "GET /api/private/:project/subgraphs/:name/:version/gn": ours("Viewer"),
  "POST /subgraphs/*": anyone,
  "GET /subgraphs/*": anyone,
  "POST /index-node/graphql": anyone,
  "GET /index-node/graphql": anyone,
  "GET /sign-in": anyone,
  "POST /sign-in": () => "refused",
  "POST /sign-out": () => "sign in",
  "GET /sign-in/oidc": anyone,
  "GET /sign-in/oidc/callback": anyone,
  "GET /password": anyone,
  "POST /password": anyone,
  "GET /password/:token": anyone,
  "POST /password/:token": () => "absent",
  [`GET ${subgraph}`]: ours("Viewer"),
  [`GET ${subgraph}/data`]: ours("Viewer"),
  [`GET ${subgraph}/data/:entity`]: ours("Viewer"),
  // The entity has no rows.
  [`GET ${subgraph}/data/:entity/entity`]: (who) => (isNobody(who) ? "sign in" : "absent"),
  [`GET ${subgraph}/query`]: ours("Viewer"),
  [`GET ${subgraph}/log`]: ours("Viewer"),
  [`GET ${subgraph}/webhooks`]: ours("Viewer"),
  [`GET ${subgraph}/map`]: ours("Viewer"),
  [`GET ${subgraph}/settings`]: ours("Viewer"),
  [`GET ${subgraph}/entities/:entity`]: ours("Viewer"),
  [`GET ${subgraph}/map.svg`]: ours("Viewer"),
  [`GET ${subgraph}/history.json`]: program(ours("Viewer")),
  [`GET ${subgraph}/data/:entity/rows.csv`]: ours("Viewer"),
  [`GET ${subgraph}/data/:entity/rows.json`]: ours("Viewer"),
  // The entity has no rows.
  [`GET ${subgraph}/data/:entity/history.json`]: (who) => (isNobody(who) ? "sign in" : "absent"),
  [`POST ${subgraph}/pause`]: ours("Editor"),
  [`POST ${subgraph}/resume`]: ours("Editor"),
  // The engine of this test cannot go back, and says so to everyone who may ask it.
  [`POST ${subgraph}/rewind`]: (who) => {
    const outcome = ours("Editor")(who);
    return outcome === "in" ? "absent" : outcome;
  },
  [`POST ${subgraph}/tags`]: ours("Editor"),
  [`POST ${subgraph}/endpoints`]: ours("Editor"),
  [`POST ${subgraph}/description`]: ours("Editor"),
  [`POST ${subgraph}/untag`]: ours("Editor"),
  [`POST ${subgraph}/delete`]: ours("Editor"),
  [`GET ${webhook}`]: ours("Viewer"),
  [`GET ${webhook}/deliveries/:id`]: ours("Viewer"),
  [`POST ${subgraph}/webhooks`]: ours("Editor"),
  [`POST ${webhook}/change`]: ours("Editor"),
  [`POST ${webhook}/delete`]: ours("Editor"),
  [`POST ${webhook}/failed-again`]: ours("Editor"),
  [`POST ${webhook}/pause`]: ours("Editor"),
  [`POST ${webhook}/resume`]: ours("Editor"),
  [`POST ${webhook}/again`]: ours("Editor"),
  // This server runs no pipelines.
  "GET /data": own("Viewer"),
  "GET /data.json": program(own("Viewer")),
  "GET /pipelines": own("Viewer"),
  "GET /nodes": own("Viewer"),
  "GET /secrets": own("Viewer"),
  "GET /new-secret": own("Editor"),
  // Its form lacks the value.
  "POST /secrets": own("Editor"),
  "GET /secrets/:secret": ours("Viewer"),
  "POST /secrets/:secret/value": ours("Editor"),
  "POST /secrets/:secret/description": ours("Editor"),
  "POST /secrets/:secret/delete": ours("Editor"),
  "GET /endpoints": own("Viewer"),
  "POST /endpoints": own("Editor"),
  "GET /endpoints/:endpoint": ours("Viewer"),
  "POST /endpoints/:endpoint/key": ours("Viewer"),
  "POST /endpoints/:endpoint/change": ours("Editor"),
  "POST /endpoints/:endpoint/pause": ours("Editor"),
  "POST /endpoints/:endpoint/resume": ours("Editor"),
  "POST /endpoints/:endpoint/delete": ours("Editor"),
  "GET /keys": own("Viewer"),
  "POST /keys": own("Editor"),
  "POST /keys/:id/revoke": ours("Editor"),
  "GET /members": own("Viewer"),
  "POST /members/invite": own("Admin"),
  "POST /members/role": ours("Admin"),
  "POST /members/remove": ours("Admin"),
  "GET /audit": own("Admin"),
  "GET /audit.csv": own("Admin"),
  "GET /account": own("Viewer"),
  // People already have an account.
  "POST /account": (who) =>
    who.includes("person") && own("Owner")(who) === "in" ? "refused" : own("Owner")(who),
  // Their password is different.
  "POST /account/password": (who) => (people("sign in")(who) === "in" ? "refused" : "sign in"),
  "POST /account/sessions/:id/end": people("sign in"),
  "POST /account/sign-out": () => "sign in",
  "GET /projects": own("Viewer"),
  "POST /projects": people("refused"),
  "POST /projects/:id/show": ours("Viewer"),
  "POST /projects/name": own("Editor"),
  // The only Owner of a project must stay.
  "POST /projects/leave": (who) => (who === "foreign person" ? "absent" : people("refused")(who)),
  "GET /invitations/:token": anyone,
  "POST /invitations/:token/join": program(people("refused")),
  "POST /invitations/:token/account": anyone,
  "GET /authorize": own("Viewer"),
  "POST /authorize": program(people("refused")),
};

const databases = onEither();
let database: Database;
let server: TestPlatform;
let node: DoubleServer;
const keys = new Map<Who, { readonly id: string; readonly key: string }>();
const persons = new Map<Who, { readonly id: string }>();
const foreign = "project_foreign";
const delivery = "00000000-0000-8000-8000-000000000001";
let made = 0;

beforeAll(async () => {
  database = await databases.fresh();
  node = await startDouble(({ body }) => json({ ...JSON.parse(String(body)), result: "0x1" }));
  let hours = 0;
  const accounts = createAccounts(
    // Rate limits are not the subject of this test.
    { now: () => world.now() + 3_600_000 * hours++ },
    {
      passwords: createPasswords(2 ** 4),
      mail: { send: async () => undefined },
      oidc: {
        name: "A provider",
        begin: async () => ({
          address: "https://provider.example/authorize",
          checks: { state: "s", nonce: "n", verifier: "v" },
        }),
        finish: async () => {
          throw new Error("no sign-in is finished in this test");
        },
      },
    },
  );
  const nodeCounts = new NodeCounts(() => world.now());
  server = await startPlatform(database, {
    nodes: new Map([["mainnet", [`${node.url}/hidden-key`]]]),
    meters: allMeters([nodeCounts.meters]),
    parts: [
      ...serverParts({ codes: createSignInCodes(world), accounts, nodeCounts }, oneClient),
      metricsPart(createServerMetrics(), { isOpen: false }),
    ],
  });
  await server.addKey("Owner", foreign);
  for (const role of roles) await addKey(`key ${role}`, server.project, role);
  await addKey("foreign key", foreign, "Owner");
  await addKey("revoked key", server.project, "Owner");
  await plant();
});
afterAll(async () => {
  await server.close();
  await node.stop();
});

async function addKey(who: Who, project: string, role: Role): Promise<void> {
  const id = `key_${who.replaceAll(" ", "_")}`;
  const key = `gl_${id}`;
  await addApiKey(database, { id, project, name: who, role, key });
  keys.set(who, { id, key });
}

/** Creates a person with an account. */
function person(project: string, role: Role) {
  made += 1;
  return addPerson(database, `person-${made}@example.com`, { [project]: role });
}

/** Creates what the paths name. */
async function plant(): Promise<void> {
  const closed = { public_endpoint_enabled: "0", private_endpoint_enabled: "1" };
  const form = deployForm(sampleBundle(), closed);
  const put = await server.ask("/subgraphs/pools/deployments/1.0.0", { method: "PUT", form });
  expect(put.status).toBe(201);
  const id: string = put.json.deployments[0].deployment_id;
  const schema = "type Thing @entity(immutable: true) { id: ID! }";
  await openDeployment(database, { deployment: id, network: "mainnet", schema, startBlock: 1 });
  const deployment = await findDeployment(database, id);
  if (!deployment) throw new Error("the deployment does not exist");
  const feed = (reader: string, tables: readonly string[]) =>
    new TableFeed({ database, deployment: deployment.id, layout: layoutOf(deployment), reader, tables });
  const { double } = server.hosting;
  double.statuses.set(id, { ...freshStatus, headBlock: 1000 });
  double.answer = async () => ({ status: 200, body: '{"data":{}}', headers: {} });
  double.storages.set(id, { database, deployment, layout: layoutOf(deployment), feed });
  const watch = { name: "hook", subgraph_name: "pools", subgraph_version: "1.0.0", entity: "thing" };
  const hook = { ...watch, webhook_url: "https://receiver.example" };
  const made = await server.ask("/subgraphs/webhooks", { method: "POST", body: hook });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  const value = { type: "httpauth", secretKey: "x-key", secretValue: "hidden" };
  await server.ask("/secrets", { method: "POST", body: { name: "PLANTED", value } });
  await server.ask("/edge", { method: "POST", body: { name: "planted" } });
  const [row] = await database.query(SQL`select id from graphloom.webhooks`);
  const event = {
    id: delivery,
    op: "INSERT",
    block: 5,
    entityKey: 1n,
    old: null,
    new: { id: "a", vid: "1" },
  } as const;
  await addEvents(database, row?.id ?? "", [event]);
}

type Headers = Readonly<Record<string, string>>;
const senders = new Map<string, Headers>();

/** Routes that sign the caller out or end their membership. */
const ending = ["/sign-out", "/account", "/account/sign-out", "/projects/leave"];

/** The headers that identify a caller: a session for pages, and a key or token for other routes. */
async function sender(who: Who, isPage: boolean, url: string): Promise<Headers> {
  const name = `${who} ${isPage}`;
  const known = senders.get(name) ?? (await begun(who, isPage));
  if (ending.includes(url)) senders.delete(name);
  else senders.set(name, known);
  return known;
}

async function begun(who: Who, isPage: boolean): Promise<Headers> {
  const headers = (token: string): Headers =>
    isPage ? { cookie: `graphloom_session=${token}` } : { authorization: `Bearer ${token}` };
  if (who === "none") return {};
  if (who === "unknown") return headers(isPage ? "gls_unknown" : "gl_unknown");
  const known = keys.get(who);
  if (known) {
    const token = isPage ? (await beginKeySession(database, known.id)).token : known.key;
    if (who === "revoked key") await revokeApiKey(database, server.project, known.id);
    return headers(token);
  }
  const [, role = ""] = who.split(" ");
  const one = await person(
    isStranger(who) ? foreign : server.project,
    roles.find((each) => each === role) ?? "Owner",
  );
  persons.set(who, one);
  const session = await beginSession(database, one.id, isPage ? "browser" : "token");
  if (who === "person signed out") {
    await database.query(SQL`delete from graphloom.sessions where id = $1::text`, [session.id]);
  }
  return headers(session.token);
}

const isPage = (url: string): boolean =>
  url === "/graphiql/:file" ||
  !/^\/(?:api|edge|live|mcp|subgraphs|index-node|metrics|health|ready)/.test(url);

/** A path with its parameters filled in, with new values if the request uses them up. */
async function filled(method: string, url: string, who: Who): Promise<string> {
  const places: Readonly<Record<string, () => Promise<string> | string>> = {
    project: () => server.project,
    name: () => "pools",
    version: () => "1.0.0",
    entity: () => "thing",
    webhook: () => "hook",
    secret: () => "PLANTED",
    endpoint: () => "planted",
    network: () => "mainnet",
    slug: () => "conflict",
    file: () => "graphiql.js",
    "*": () => (url.startsWith("/subgraphs") ? "name/pools" : "nothing"),
    token: async () => {
      made += 1;
      const email = `invited-${made}@example.com`;
      return (await invite(database, { project: server.project, email, role: "Viewer" })).token;
    },
    id: async () => {
      if (url.startsWith("/projects")) return server.project;
      if (url.includes("/deliveries/")) return delivery;
      if (url.startsWith("/account")) {
        const own = persons.get(who);
        return own ? (await beginSession(database, own.id, "browser")).id : "absent";
      }
      made += 1;
      const id = `key_victim_${made}`;
      await addApiKey(database, { id, project: server.project, name: id, role: "Viewer", key: `gl_${id}` });
      return id;
    },
  };
  let path = url;
  for (const [place] of url.matchAll(/:\w+|\*/g)) {
    const fill = places[place.replace(":", "")];
    if (!fill) throw new Error(`the test has no value for ${place} in ${method} ${url}`);
    path = path.replace(place, await fill());
  }
  return url === "/authorize" && method === "GET" ? `${path}?${new URLSearchParams(authorization)}` : path;
}

const authorization = {
  client_id: "graphloom-cli",
  redirect_uri: "http://127.0.0.1:4711/callback",
  code_challenge: "a".repeat(43),
  code_challenge_method: "S256",
  state: "state",
};

/** The fields of a form or request that succeeds if the caller is allowed to send it. */
async function said(
  url: string,
): Promise<Readonly<Record<string, string>> | { readonly pages: readonly [] }> {
  if (url.startsWith("/members/")) {
    const { email } = await person(server.project, "Viewer");
    const invited = url.endsWith("invite") ? `new-${email}` : email;
    return { email: invited, emails: invited, role: "Viewer" };
  }
  if (url === "/authorize") return authorization;
  if (url.endsWith("/untag")) {
    const tag = { project: server.project, name: "pools", version: "leaving" };
    await database.transaction((sql) => setTag(sql, tag, "1.0.0"));
    return { tag: tag.version };
  }
  if (url === "/live") return { browser: "one", pages: [] as const };
  if (url === "/mcp") return { jsonrpc: "2.0", id: "1", method: "tools/list" };
  if (url.startsWith("/edge/")) return { jsonrpc: "2.0", id: "1", method: "eth_blockNumber" };
  return {
    name: "another",
    role: "Viewer",
    tag: "latest",
    private: "on",
    id: delivery,
    block: "5",
    query: "{ _meta { x } }",
    email: `own-${made}@example.com`,
    password: "correct horse battery",
    old: "correct horse battery",
    new: "wrong horse battery staple",
  };
}

async function outcome(method: string, url: string, who: Who): Promise<Outcome> {
  const headers = await sender(who, isPage(url) || (method === "GET" && url.endsWith("gn")), url);
  const path = await filled(method, url, who);
  const body = method === "GET" ? undefined : await said(url);
  const answer = await fetch(server.address + path, {
    method,
    redirect: "manual",
    headers: {
      accept: "text/html",
      ...headers,
      ...(body && !isPage(url) && { "content-type": "application/json" }),
    },
    ...(body && { body: isPage(url) ? new URLSearchParams({ ...body }) : JSON.stringify(body) }),
  });
  await answer.arrayBuffer();
  return outcomeOf(answer);
}

function outcomeOf({ status, headers, url }: Response): Outcome {
  const location = headers.get("location") ?? "";
  if (status >= 500) throw new Error(`${url} was answered with ${status}`);
  if (/^\/sign-in(?:$|\?)/.test(location)) return "sign in";
  if (status === 401 || status === 403) return "refused";
  return status === 404 || status === 422 ? "absent" : "in";
}

describe("every route", () => {
  it("is listed here, or belongs to the management API", () => {
    const known = server.routes
      .filter(({ method, url }) => method !== "HEAD" && !url.startsWith("/api/v1/"))
      .map(({ method, url }) => `${method} ${url}`);
    expect(known.length).toBeGreaterThan(60);
    expect(known.sort()).toEqual(Object.keys(rows).sort());
  });

  it("that is a page declares who may see it, and only these are open to anyone", () => {
    const pages = server.routes.filter(({ method, isPage }) => isPage && method !== "HEAD");
    expect(pages.length).toBeGreaterThan(40);
    const open = pages.filter(({ role }) => role === "anyone").map(({ method, url }) => `${method} ${url}`);
    expect(open.sort()).toEqual([
      "GET /*",
      "GET /authorize",
      "GET /docs",
      "GET /docs/:name",
      "GET /invitations/:token",
      "GET /password",
      "GET /password/:token",
      "GET /sign-in",
      "GET /sign-in/oidc",
      "GET /sign-in/oidc/callback",
      "POST /authorize",
      "POST /invitations/:token/account",
      "POST /invitations/:token/join",
      "POST /password",
      "POST /password/:token",
      "POST /sign-in",
      "POST /sign-out",
    ]);
  });

  it.each(Object.keys(rows))("answers each caller according to their role: %s", async (route) => {
    const [method = "", url = ""] = route.split(" ");
    const row = rows[route] ?? anyone;
    const answers: Record<string, Outcome> = {};
    const asking = row === anyone ? some : everybody;
    for (const who of asking) answers[who] = await outcome(method, url, who);
    expect(answers).toEqual(Object.fromEntries(asking.map((who) => [who, row(who)])));
  });
});

it("a form is read only after its sender was found to be allowed", async () => {
  const answers: Record<string, number> = {};
  for (const who of ["none", "person Viewer", "person Editor"] as const) {
    const { status } = await fetch(`${server.address}/keys`, {
      method: "POST",
      redirect: "manual",
      headers: { ...(await sender(who, true, "/keys")), "content-type": "text/unknown" },
      body: "no form",
    });
    answers[who] = status;
  }
  expect(answers).toEqual({ none: 303, "person Viewer": 403, "person Editor": 415 });
});

describe("a graft", () => {
  const refusal: Row = program(own("Editor"));

  it.each([
    "0",
    "1",
  ])("onto our deployment requires the right to deploy here, with skip_graft_validation %s", async (skip) => {
    const answers: Record<string, Outcome> = {};
    for (const who of everybody) {
      const version = `${skip}-${who.replaceAll(" ", "-")}`;
      const fields = { graft_from: "pools/1.0.0", start_block: "1", skip_graft_validation: skip };
      const answer = await fetch(`${server.url}/subgraphs/grafted/deployments/${version}`, {
        method: "PUT",
        headers: await sender(who, false, ""),
        body: deployForm(sampleBundle({ startBlock: 7 }), fields),
      });
      answers[who] = outcomeOf(answer);
    }
    const expected = (who: Who): Outcome => (isStranger(who) ? "absent" : refusal(who));
    expect(answers).toEqual(Object.fromEntries(everybody.map((who) => [who, expected(who)])));
  });
});

describe("an edge endpoint", () => {
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const ask = async (key: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return (await fetch(`${server.address}/edge/rpc/mainnet`, { method: "POST", headers, body: call }))
      .status;
  };
  const make = async (name: string): Promise<string> =>
    (await server.ask("/edge", { method: "POST", body: { name } })).json.data.api_key;

  it("accepts its own key until the endpoint is deleted or paused", async () => {
    const [used, paused, deleted] = [await make("used"), await make("paused"), await make("deleted")];
    expect([await ask(used), await ask(paused), await ask(deleted)]).toEqual([200, 200, 200]);
    expect((await server.ask("/edge/paused/pause", { method: "PUT" })).status).toBe(200);
    expect((await server.ask("/edge/deleted", { method: "DELETE" })).status).toBe(204);
    expect([await ask(used), await ask(paused), await ask(deleted)]).toEqual([200, 403, 401]);
  });

  it("counts its requests to nodes, and shows them to members without the keys in their addresses", async () => {
    const read = async (who: Who) =>
      (await server.ask("/nodes", { key: keys.get(who)?.key })).json.data.map(
        ({ network, nodes, subgraphs }: Record<string, unknown>) => ({ network, nodes, subgraphs }),
      );
    const known = {
      name: node.url,
      addresses: 1,
      requests: expect.any(Number),
      failed: 0,
      throttled: 0,
      mean_seconds: expect.any(Number),
      last_outcome: "answered",
      last_failure: null,
      set_aside: null,
      last_failure_of_data_service: null,
    };
    const subgraphs = expect.arrayContaining(["pools/1.0.0"]);
    expect(await read("key Viewer")).toEqual([{ network: "mainnet", nodes: [known], subgraphs }]);
    expect(await read("foreign key")).toEqual([{ network: "mainnet", nodes: [known], subgraphs: [] }]);
  });
});

describe("metrics", () => {
  it("name our deployments only to members of the project", async () => {
    const named: Record<string, boolean> = {};
    for (const who of everybody.filter((one) => !isNobody(one))) {
      const answer = await fetch(`${server.address}/metrics`, { headers: await sender(who, false, "") });
      named[who] = (await answer.text()).includes("pools/1.0.0");
    }
    const inside = [...strangers, ...insiders].map((who) => [who, !isStranger(who)]);
    expect(named).toEqual(Object.fromEntries(inside));
  });
});
