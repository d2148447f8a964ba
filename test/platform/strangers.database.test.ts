import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneClient } from "../../src/platform/endpoints/options.js";
import type { GuardedRoute } from "../../src/platform/http/roles.js";
import { metricsPart } from "../../src/platform/metrics/metrics-part.js";
import { createServerMetrics } from "../../src/platform/metrics/server-metrics.js";
import { createSignInCodes } from "../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../src/platform/people/accounts.js";
import { createPasswords } from "../../src/platform/people/passwords/passwords.js";
import { serverParts } from "../../src/platform/server-parts.js";
import { addEvents } from "../../src/platform/webhooks/outbox.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { quoteName } from "../../src/store/database/quote.js";
import { findDeployment, layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { TableFeed } from "../../src/store/tables/table-feed.js";
import { onEither, world } from "../support/database/databases.js";
import { freshStatus } from "../support/server/hosting-double.js";
import { sampleBundle, sampleFiles } from "../support/server/management-sample.js";
import { addPerson } from "../support/server/people.js";
import { deployForm, startPlatform, type TestPlatform } from "../support/server/platform-server.js";

/** Values of our project, each in a different place, that must be in no answer to a stranger. */
const canaries = {
  name: "canary-subgraph",
  version: "1.0.0-canary",
  tag: "canary-tag",
  description: "canary in a description",
  log: "canary in a log",
  fault: "canary in an error",
  type: "CanaryType",
  entity: "canary-entity",
  shared: "canary-name-of-what-is-shared",
  webhook: "canary-webhook",
  receiver: "canary-receiver.example",
  delivery: "00000000-0000-8000-8000-0000000ca7a1",
  payload: "canary-in-a-payload",
  secret: "CANARY_SECRET",
  value: "canary-value-of-a-secret",
  edge: "canary-edge",
  keyName: "canary name of a key",
  project: "canary name of the project",
  member: "canary-member@example.com",
  block: "71234567",
};
type Canary = keyof typeof canaries | "deployment" | "edgeKey" | "keyId";
const all = new Map<Canary, string>();

let database: Database;
let server: TestPlatform;
let routes: readonly GuardedRoute[];

/** A caller with a key or a browser session. */
interface Asker {
  readonly key?: string;
  readonly cookie?: string;
}
let ours: readonly Asker[];
let strangers: readonly Asker[];

async function signedIn(key: string): Promise<string> {
  const answer = await fetch(`${server.address}/sign-in`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ key }),
  });
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

const { fresh } = onEither();

beforeAll(async () => {
  database = await fresh();
  const metrics = createServerMetrics();
  const accounts = createAccounts(world, { passwords: createPasswords(2 ** 10) });
  server = await startPlatform(database, {
    meters: metrics.meters,
    nodes: new Map([["mainnet", ["http://127.0.0.1:1"]]]),
    parts: [
      ...serverParts({ codes: createSignInCodes(world), accounts }, oneClient),
      metricsPart(metrics, { isOpen: true }),
    ],
  });
  const strangersKey = await server.addKey("Owner", "project_stranger");
  routes = server.routes.filter(({ method }) => method !== "HEAD");
  await plantOurs();
  // The stranger deploys the same build under their own name, so that everything stored by deployment is stored for both.
  const put = { method: "PUT", form: deployForm(sampleBundle()), key: strangersKey };
  expect((await server.ask("/subgraphs/theirs/deployments/1", put)).status).toBe(201);
  ours = [{ key: server.token }, { cookie: await signedIn(server.token) }];
  const person = await addPerson(database, "stranger@example.com", { project_stranger: "Owner" });
  strangers = [{}, { key: strangersKey }, { key: person.token }, { cookie: await signedIn(strangersKey) }];
});
afterAll(() => server.close());

/** Fills our project with the canaries. */
async function plantOurs(): Promise<void> {
  const { name, version, tag } = canaries;
  for (const [what, text] of Object.entries(canaries)) all.set(what as Canary, text);
  const did = async (path: string, method: string, body: object): Promise<ReturnType<typeof JSON.parse>> => {
    const { status, json } = await server.ask(path, { method, body });
    expect([path, status]).toEqual([path, expect.toBeOneOf([200, 201])]);
    return json;
  };
  const schema = `type ${canaries.type} @entity(immutable: true) { id: ID! text: String! }`;
  const files = { ...sampleFiles(), "schema.graphql": new TextEncoder().encode(schema) };
  const closed = { public_endpoint_enabled: "0", private_endpoint_enabled: "1" };
  const form = deployForm(zipSync(files), { ...closed, description: canaries.description });
  const made = await server.ask(`/subgraphs/${name}/deployments/${version}`, { method: "PUT", form });
  const id: string = made.json.deployments[0].deployment_id;
  all.set("deployment", id);
  await did(`/subgraphs/${name}/tags/${tag}`, "PUT", { target_version: version });
  const shared = { method: "PUT", form: deployForm(sampleBundle(), closed) };
  expect((await server.ask(`/subgraphs/${canaries.shared}/deployments/1`, shared)).status).toBe(201);
  const { double } = server.hosting;
  double.statuses.set(id, {
    ...freshStatus,
    headBlock: Number(canaries.block),
    chainHeadBlock: Number(canaries.block) + 1,
    nonFatalErrors: [{ message: canaries.fault }],
  });
  double.lines.set(id, [{ text: canaries.log, level: "info", timestamp: world.now() }]);
  double.answer = async (asked) => ({
    status: 200,
    body: JSON.stringify({ data: { found: asked === id ? canaries.entity : "nothing" } }),
    headers: {},
  });
  await openDeployment(database, { deployment: id, network: "mainnet", schema, startBlock: 1 });
  const deployment = await findDeployment(database, id);
  if (!deployment) throw new Error("the deployment does not exist");
  await database.query(
    SQL`insert into ${quoteName(deployment.namespace)}.canary_type (vid, id, text, block$) values (1, $1::text, 'text', 5)`,
    [canaries.entity],
  );
  await database.query(SQL`update graphloom.deployments set head_number = 60, head_hash = '0xaa'`);
  const layout = layoutOf(deployment);
  double.storages.set(id, {
    database,
    deployment,
    layout,
    feed: (reader, tables) => new TableFeed({ database, deployment: deployment.id, layout, reader, tables }),
  });
  const webhook = await did("/subgraphs/webhooks", "POST", {
    name: canaries.webhook,
    subgraph_name: name,
    subgraph_version: version,
    entity: "canary_type",
    webhook_url: `https://${canaries.receiver}/hook`,
    secret: "a-secret-of-a-webhook",
  });
  expect(webhook.data.name).toBe(canaries.webhook);
  const [row] = await database.query(SQL`select id from graphloom.webhooks`);
  await addEvents(database, row?.id ?? "", [
    {
      id: canaries.delivery,
      op: "INSERT",
      block: 5,
      entityKey: 1n,
      old: null,
      new: { id: canaries.payload, vid: "1" },
    },
  ]);
  await did("/secrets", "POST", {
    name: canaries.secret,
    value: {
      type: "elasticSearch",
      host: "https://es.example.com:9243",
      username: "writer",
      password: canaries.value,
    },
  });
  all.set("edgeKey", (await did("/edge", "POST", { name: canaries.edge })).data.api_key);
  const key = await did(`/projects/${server.project}/api-keys`, "POST", {
    name: canaries.keyName,
    role: "Viewer",
  });
  all.set("keyId", key.data.id);
  await did(`/projects/${server.project}`, "PATCH", { name: canaries.project });
  await addPerson(database, canaries.member, { [server.project]: "Viewer" });
}

/** Values for the parameters of a path, as guessed by a caller who knows all our names. */
function fillings({ url, method }: GuardedRoute): readonly string[] {
  const { name, version, tag, shared } = canaries;
  const of: Readonly<Record<string, readonly string[]>> = {
    project: [server.project],
    entity: [canaries.type, "canary_type"],
    webhook: [canaries.webhook],
    email: [canaries.member],
    keyId: [all.get("keyId") ?? ""],
    network: ["mainnet"],
    id: url.includes("deliveries") ? [canaries.delivery] : [server.project, all.get("keyId") ?? ""],
    name: url.includes("/webhooks")
      ? [canaries.webhook]
      : url.includes("/secrets")
        ? [canaries.secret]
        : url.includes("/edge")
          ? [canaries.edge]
          : [name],
    "*": [`id/${all.get("deployment")}`, `name/${name}`, `name/${name}/${version}`, `name/${name}/${tag}`],
  };
  // Our versions, and the stranger's version of the same build, which is only read.
  const own = [`${name}/${version}`, `${name}/${tag}`, `${shared}/1`];
  const pairs = method === "GET" ? [...own, "theirs/1"] : own;
  let filled: readonly string[] = /:name\/(\w+\/)?:version/.test(url)
    ? pairs.map((pair) => {
        const [of = "", at = ""] = pair.split("/");
        return url.replace(":name", of).replace(":version", at);
      })
    : [url];
  for (const [place] of url.matchAll(/:\w+|\*/g)) {
    const fitting = of[place.replace(":", "")] ?? ["absent"];
    filled = filled.flatMap((path) => fitting.map((text) => path.replace(place, encodeURI(text))));
  }
  return filled;
}

/** Bodies of requests: queries, and fields that name a version or a graft. */
function bodies({ url, method }: GuardedRoute): readonly (object | FormData | undefined)[] {
  if (method === "GET" || method === "DELETE") return [undefined];
  const { name, version } = canaries;
  const deployment = all.get("deployment") ?? "";
  if (url === "/index-node/graphql") {
    return [
      "{ indexingStatuses { subgraph health chains { latestBlock { number } } nonFatalErrors { message } } }",
      `{ indexingStatuses(subgraphs: ["${deployment}"]) { subgraph health } }`,
      `{ indexingStatusForCurrentVersion(subgraphName: "${name}") { subgraph } }`,
      `{ indexingStatusesForSubgraphName(subgraphName: "${name}") { subgraph } }`,
      `{ subgraphFeatures(subgraphId: "${deployment}") { network features } }`,
    ].map((query) => ({ query }));
  }
  if (url.includes("/deployments/:version")) {
    return ["0", "1"].map((skip_graft_validation) =>
      deployForm(sampleBundle({ startBlock: 7 }), {
        graft_from: `${name}/${version}`,
        skip_graft_validation,
      }),
    );
  }
  const webhook = { name: "mine", subgraph_name: name, subgraph_version: version, entity: "canary_type" };
  if (url === "/api/v1/subgraphs/webhooks") return [{ ...webhook, webhook_url: "https://x.example" }];
  if (!url.startsWith("/api/v1/")) return [{ query: "{ found }", tag: "stolen", public: "on" }];
  return [{ target_version: version, description: "changed", public_endpoint_enabled: true, role: "Owner" }];
}

/** Routes that end the session or the membership of the caller. */
const ending = [
  "/sign-out",
  "/api/v1/auth/token",
  "/projects/leave",
  "/account/sign-out",
  "/account/password",
];
const takesForms = (url: string): boolean =>
  !url.startsWith("/api/") && !/gn$|graphql$|^\/(edge|subgraphs)\//.test(url);

/** Pages accept sessions, and other routes accept keys; both are also requested without either. */
function isFor({ key, cookie }: Asker, { url }: GuardedRoute): boolean {
  if (/^\/(assets|graphiql|api\/errors|api\/v1\/docs)/.test(url)) return false;
  const isPage = takesForms(url) && url !== "/metrics";
  return cookie !== undefined ? isPage || url.endsWith("gn") : key === undefined || !isPage;
}

interface Seen {
  readonly request: string;
  readonly sent: string;
  readonly status: number;
  readonly text: string;
}

/** Sends requests to all routes. */
async function walk(asker: Asker, wanted: (route: GuardedRoute) => boolean): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const route of routes) {
    if (!wanted(route) || ending.includes(route.url) || !isFor(asker, route)) continue;
    for (const path of fillings(route)) {
      for (const body of bodies(route)) seen.push(await ask(asker, route, path, body));
    }
  }
  return seen;
}

async function ask(
  { key, cookie }: Asker,
  { method, url }: GuardedRoute,
  path: string,
  body: object | FormData | undefined,
): Promise<Seen> {
  const isForm = body instanceof FormData || body === undefined;
  const asForm = body !== undefined && !isForm && takesForms(url);
  const answer = await fetch(server.address + path, {
    method,
    redirect: "manual",
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(cookie !== undefined && { cookie }),
      ...(!isForm && !asForm && { "content-type": "application/json" }),
    },
    ...(body !== undefined && {
      body: isForm
        ? body
        : asForm
          ? new URLSearchParams({ ...body } as Record<string, string>)
          : JSON.stringify(body),
    }),
  });
  const headers = [...answer.headers].map((pair) => pair.join(": ")).join("\n");
  const text = `${headers}\n${await answer.text()}`;
  const said = body instanceof FormData ? `${canaries.name}/${canaries.version}` : JSON.stringify(body ?? "");
  const sent = decodeURIComponent(path) + said;
  return { request: `${method} ${path}`, sent, status: answer.status, text };
}

/** The canaries in an answer, except those that the request itself contained. */
const found = ({ sent, text }: Seen): readonly Canary[] =>
  [...all].flatMap(([what, canary]) => (text.includes(canary) && !sent.includes(canary) ? [what] : []));

const isRead = ({ method, url }: GuardedRoute): boolean =>
  method === "GET" || /gn$|graphql$|\/subgraphs\/\*$/.test(url);

/** The canaries that our project sees in all answers that it can read. */
async function seenByUs(): Promise<ReadonlySet<Canary>> {
  const answers = (await Promise.all(ours.map((asker) => walk(asker, isRead)))).flat();
  return new Set(answers.flatMap(found));
}

describe("a stranger who knows all names", () => {
  it("learns nothing about a different project from any route, and changes nothing in it", async () => {
    const missing = async (): Promise<readonly Canary[]> => {
      const seen = await seenByUs();
      return [...all.keys()].filter((what) => !seen.has(what));
    };
    // Our project can see every canary. This also fills all caches.
    expect(await missing()).toEqual([]);
    expect(routes.length).toBeGreaterThan(100);
    let asked = 0;
    for (const stranger of strangers) {
      for (const seen of await walk(stranger, () => true)) {
        asked += 1;
        expect([
          seen.request,
          seen.status >= 500 && seen.status !== 501 && seen.status !== 503,
          found(seen),
        ]).toEqual([seen.request, false, []]);
      }
    }
    expect(asked).toBeGreaterThan(3 * routes.length);
    // After all attempts, everything is unchanged and still closed.
    expect(await missing()).toEqual([]);
    const { data } = (await server.ask(`/subgraphs/${canaries.name}/${canaries.version}`)).json;
    expect(data).toMatchObject([
      { status: "ACTIVE", public_endpoint_enabled: false, description: canaries.description },
    ]);
  });
});
