import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../../src/api/api-document.js";
import { pipelineOperations } from "../../../src/api/pipeline-operations.js";
import { pipelineTaskOperations } from "../../../src/api/pipeline-tasks.js";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { createApp } from "../../../src/platform/http/app.js";
import { managementPart } from "../../../src/platform/management/management-part.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import { metricsPart } from "../../../src/platform/metrics/metrics-part.js";
import { createServerMetrics } from "../../../src/platform/metrics/server-metrics.js";
import { listApiKeys, type Role, revokeApiKey, roles } from "../../../src/platform/people/api-keys.js";
import { removeMember } from "../../../src/platform/people/members.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import { addPerson } from "../../support/server/people.js";
import {
  deployForm,
  partsBesidePipelines,
  startPlatform,
  type TestPlatform,
} from "../../support/server/platform-server.js";

const databases = onEither();
let database: Database;
let server: TestPlatform;
/** Keys by their owners. */
const keys = new Map<string, string | undefined>();

beforeAll(async () => {
  database = await databases.fresh();
  server = await startPlatform(database, {
    parts: [
      ...partsBesidePipelines,
      pipelinesPart(pipelinesOn({ verify: "bloom" })),
      metricsPart(createServerMetrics(), { isOpen: true }),
    ],
  });
  for (const role of roles) keys.set(role, await server.addKey(role));
  keys.set("none", undefined);
  keys.set("unknown", `gl_${"A".repeat(32)}`);
  keys.set("another project's", await server.addKey("Owner", "project_other"));
  keys.set("revoked", await server.addKey("Owner"));
  const [last] = (await listApiKeys(database, server.project)).slice(-1);
  await revokeApiKey(database, server.project, last?.id ?? "");
  const here = server.project;
  for (const role of roles) {
    keys.set(`person ${role}`, (await addPerson(database, `${role}@example.com`, { [here]: role })).token);
  }
  keys.set(
    "another project's person",
    (await addPerson(database, "o@example.com", { project_other: "Owner" })).token,
  );
  const left = await addPerson(database, "left@example.com", { [here]: "Owner" });
  await removeMember(database, here, left.id);
  keys.set("person who left", left.token);
  const late = await addPerson(database, "late@example.com", { [here]: "Owner" });
  await database.query(SQL`update graphloom.sessions set expires_at = now() where person = $1::text`, [
    late.id,
  ]);
  keys.set("token that is over", late.token);
  const form = deployForm(sampleBundle());
  await server.ask("/subgraphs/pools/deployments/1.0.0", { method: "PUT", form });
  await server.ask("/subgraphs/pools/tags/prod", { method: "PUT", body: { target_version: "1.0.0" } });
});
afterAll(() => server.close());

/** Public routes that are neither operations nor extensions. */
const open = [
  "GET /health",
  "GET /metrics",
  "GET /ready",
  "GET /api/errors",
  "GET /api/errors/conflict",
  "GET /api/v1/openapi.json",
  "GET /api/v1/docs",
  "GET /api/v1/docs/json",
  "GET /api/v1/docs/static/swagger-ui.css",
];
/** The operations that require no key. */
const anonymous = ["listSubgraphChains", "listEdgeNetworks", "listEdgeSources"];
/** The statuses that an admitted caller may receive, even for an empty or unknown request. */
const letIn = [200, 201, 204, 400, 404, 409, 415, 422, 501];
const changing = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** The role that an operation should require, stated independently of the program. */
function needed(id: string, method: string): Role | "anyone" {
  if (anonymous.includes(id)) return "anyone";
  return changing.has(method) && id !== "validatePipeline" ? "Editor" : "Viewer";
}

const nobody = ["none", "unknown", "revoked", "token that is over"];
const people = roles.map((role) => `person ${role}`);

describe("every operation", () => {
  const who = [...nobody, ...roles, ...people, "another project's", "another project's person"];
  const table = allOperations.flatMap(({ id, method, path }) =>
    who.map((whose) => [id, method, path, whose] as const),
  );

  it.each(
    table,
  )("%s (%s %s) is open to the right roles only, tried with the key: %s", async (id, method, path, whose) => {
    const address = path.replace("{name}", "absent").replace("{version}", "1.0.0");
    const answer = await server.ask(address, { method, key: keys.get(whose) });
    const role = needed(id, method);
    const rank = roles.indexOf(whose.replace("person ", "") as Role);
    if (role === "anyone") expect(letIn).toContain(answer.status);
    else if (nobody.includes(whose)) expect(answer.status).toBe(401);
    else if (!whose.startsWith("another") && rank < roles.indexOf(role)) expect(answer.status).toBe(403);
    else expect(letIn).toContain(answer.status);
  });

  it.each(allOperations)("$id rejects the token of a person who has left the project", async ({
    id,
    method,
    path,
  }) => {
    const address = path.replace("{name}", "absent").replace("{version}", "1.0.0");
    const answer = await server.ask(address, { method, key: keys.get("person who left") });
    if (anonymous.includes(id)) expect(letIn).toContain(answer.status);
    else
      expect([answer.status, answer.json.detail]).toEqual([
        403,
        expect.stringContaining("not a member of any project"),
      ]);
  });
});

/** Requests about pipelines that change nothing, although they have a body. */
const readingPipelines = [
  "POST /pipelines/check",
  "POST /pipelines/:name/verify",
  // Who may begin a task may cancel it. The program asks for an Editor where the task writes.
  "PUT /pipelines/:name/tasks/:id/cancel",
];

/** Every extension route and the role it should require, stated independently of the program. */
const extensions: Readonly<Record<string, Role | "signed-in" | "anyone">> = {
  ...Object.fromEntries(
    Object.values({ ...pipelineOperations, ...pipelineTaskOperations }).map(({ method, path }) => {
      const route = `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
      return [route, method === "GET" || readingPipelines.includes(route) ? "Viewer" : "Editor"] as const;
    }),
  ),
  "POST /hosted-sinks": "Editor",
  "DELETE /hosted-sinks/:name": "Editor",
  "GET /auth": "anyone",
  "POST /auth/token": "anyone",
  "DELETE /auth/token": "signed-in",
  "GET /me": "Viewer",
  "GET /projects": "signed-in",
  "POST /projects": "signed-in",
  "PATCH /projects/:id": "Editor",
  "POST /projects/:id/leave": "Viewer",
  "GET /projects/:id/members": "Viewer",
  "POST /projects/:id/invitations": "Admin",
  "PATCH /projects/:id/members/:email": "Admin",
  "DELETE /projects/:id/members/:email": "Admin",
  "GET /projects/:id/api-keys": "Viewer",
  "POST /projects/:id/api-keys": "Editor",
  "DELETE /projects/:id/api-keys/:keyId": "Editor",
  "GET /projects/:id/audit": "Admin",
  "GET /nodes": "Viewer",
  "GET /subgraphs/:name/:version/build": "Viewer",
  "GET /deployments/:deployment/build": "Viewer",
  "GET /ipfs/:cid": "Viewer",
  "GET /subgraphs/:name/:version/rewind": "Viewer",
  "POST /subgraphs/:name/:version/rewind": "Editor",
  "POST /subgraphs/:name/:version/dump": "Viewer",
  "POST /restores": "Owner",
  "POST /restores/:deployment/rows": "Owner",
  "POST /restores/:deployment/complete": "Owner",
  "GET /datasets": "Viewer",
  "GET /datasets/:dataset/file": "Viewer",
  "GET /extensions/webhooks/:name": "Viewer",
  "PATCH /extensions/webhooks/:name": "Editor",
  "GET /extensions/webhooks/:name/deliveries/:id": "Viewer",
  "POST /extensions/webhooks/:name/redeliver-failed": "Editor",
  "PUT /extensions/webhooks/:name/pause": "Editor",
  "PUT /extensions/webhooks/:name/resume": "Editor",
  "GET /extensions/webhooks/:name/deliveries": "Viewer",
  "POST /extensions/webhooks/deliveries/:id/redeliver": "Editor",
};

/** Operations that only graphloom describes; the original API does not have them either. */
const describedHere = [
  "GET /secrets",
  "POST /secrets",
  "PATCH /secrets/:name",
  "DELETE /secrets/:name",
  "GET /secrets/:name/value",
];

describe("every extension", () => {
  const elsewhere = ["another project's", "another project's person", "person who left"];
  const who = [...nobody, ...roles, ...people, ...elsewhere];
  // When allowed, these would change the callers of later tests.
  const doing = ["POST /projects/:id/leave", "DELETE /auth/token"];
  const table = Object.entries(extensions).flatMap(([route, role]) =>
    who.flatMap((whose) => {
      const isRefused = nobody.includes(whose) || (elsewhere.includes(whose) && role !== "signed-in");
      return doing.includes(route) && !isRefused ? [] : [[route, role, whose] as const];
    }),
  );

  it.each(
    table,
  )("%s (%s) is open to the right roles only, tried with the key: %s", async (route, role, whose) => {
    const [method = "", path = ""] = route.split(" ");
    const address = path
      .replace("/projects/:id", `/projects/${server.project}`)
      .replaceAll(/:\w+/g, "absent");
    const answer = await server.ask(address, { method, key: keys.get(whose) });
    const rank = roles.indexOf(whose.replace("person ", "") as Role);
    if (role === "anyone") expect(letIn).toContain(answer.status);
    else if (nobody.includes(whose)) expect(answer.status).toBe(401);
    else if (role === "signed-in") expect(letIn).toContain(answer.status);
    else if (elsewhere.includes(whose)) {
      if (path.startsWith("/projects/:id")) {
        expect([answer.status, answer.json.type]).toEqual([
          404,
          `${server.address}/api/errors/project-not-found`,
        ]);
      } else if (whose === "person who left") expect(answer.status).toBe(403);
      else expect(letIn).toContain(answer.status);
    } else if (rank < roles.indexOf(role)) expect(answer.status).toBe(403);
    else expect(letIn).toContain(answer.status);
  });

  it("is marked as an extension in the OpenAPI document, and nothing else is", async () => {
    const { paths } = (await server.ask("/openapi.json")).json;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { "x-graphloom-extension"?: boolean }>)
        .filter(([, operation]) => operation["x-graphloom-extension"])
        .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
    );
    expect(described.sort()).toEqual([...Object.keys(extensions), ...describedHere].sort());
  });
});

describe("another project", () => {
  it.each([
    ["GET", "/subgraphs/pools"],
    ["GET", "/subgraphs/pools/1.0.0"],
    ["GET", "/subgraphs/pools/prod"],
    ["GET", "/subgraphs/pools/1.0.0/logs"],
    ["GET", "/subgraphs/pools/1.0.0/build"],
    ["GET", "/subgraphs/pools/prod/build"],
    ["GET", "/subgraphs/pools/1.0.0/entities"],
    ["POST", "/subgraphs/pools/1.0.0/dump", { tables: [] }],
    ["PATCH", "/subgraphs/pools/1.0.0"],
    ["PUT", "/subgraphs/pools/1.0.0/pause"],
    ["PUT", "/subgraphs/pools/1.0.0/resume"],
    ["DELETE", "/subgraphs/pools/tags/prod"],
    ["DELETE", "/subgraphs/pools/deployments/1.0.0"],
  ])("cannot access this project's subgraphs: %s %s", async (method, path, body?: object) => {
    const key = keys.get("another project's");
    const answer = await server.ask(path, { method, key, ...(body && { body }) });
    expect([answer.status, answer.json.type]).toEqual([
      404,
      `${server.address}/api/errors/subgraph-not-found`,
    ]);
    expect((await server.ask("/subgraphs", { key })).json.data).toEqual([]);
    expect((await server.ask("/subgraphs")).json.data).toHaveLength(2);
  });

  it("cannot graft onto this project's subgraphs", async () => {
    const form = deployForm(sampleBundle(), { graft_from: "pools/1.0.0", start_block: "1" });
    const answer = await server.ask("/subgraphs/mine/deployments/1", {
      method: "PUT",
      form,
      key: keys.get("another project's"),
    });
    expect(answer.status).toBe(404);
  });
});

describe("public routes", () => {
  it("are exactly the listed ones, and all others are operations or extensions", () => {
    const operations = allOperations.map(
      ({ method, path }) => `${method} /api/v1${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    );
    const others = server.routes
      .filter(({ method }) => method !== "HEAD")
      .map(({ method, url, role }) => [`${method} ${url}`, role] as const)
      .filter(([route]) => !operations.includes(route));
    expect(server.routes.filter(({ url }) => url.includes("subgraphs")).length).toBeGreaterThan(20);
    expect(
      others
        .filter(([, role]) => role === "anyone")
        .map(([route]) => route)
        .sort(),
    ).toEqual([
      "GET /api/errors",
      "GET /api/errors/:slug",
      "GET /api/v1/auth",
      "GET /api/v1/docs",
      "GET /api/v1/docs/json",
      "GET /api/v1/docs/static/*",
      "GET /api/v1/docs/static/index.html",
      "GET /api/v1/docs/static/swagger-initializer.js",
      "GET /api/v1/docs/static/theme/graphloom.css",
      "GET /api/v1/docs/static/theme/graphloom.js",
      "GET /api/v1/docs/yaml",
      "GET /api/v1/openapi.json",
      "GET /health",
      "GET /metrics",
      "GET /ready",
      "POST /api/v1/auth/token",
    ]);
    const expected = Object.entries(extensions).filter(([, role]) => role !== "anyone");
    expect(others.filter(([, role]) => role !== "anyone").sort()).toEqual(
      expected.map(([route, role]) => [route.replace(" ", " /api/v1"), role]).sort(),
    );
  });

  it.each(open)("answer without a key: %s", async (route) => {
    const [, path = ""] = route.split(" ");
    const answer = await server.ask(`${server.address}${path}`, { key: undefined });
    expect(answer.status).toBe(200);
  });

  it("must be declared: the server does not start with a route that declares no role", async () => {
    const app = await createApp(server.platform, [
      ...[(await managementPart()(server.platform)).routes ?? []].flat(),
      (scope) => {
        scope.get("/silent", () => "");
      },
    ]);
    await expect(app.ready()).rejects.toThrow("the route GET /silent does not declare who may use it");
    await app.close();
  });
});

describe("a key", () => {
  it("has its last use recorded, and appears in no answer", async () => {
    const listed = await listApiKeys(database, server.project);
    expect(listed.find(({ name }) => name === "made by graphloom serve")?.lastUsedAt).toBeInstanceOf(Date);
    const refused = await server.ask("/subgraphs", { key: "gl_wrong" });
    expect(refused.text).not.toContain("gl_wrong");
  });

  it.each([
    "Basic abc",
    "Bearer",
    "Bearer ",
    "bearer  two words",
    "Token gl_x",
  ])("is not accepted as %j", async (authorization) => {
    const answer = await server.ask("/subgraphs", { key: undefined, headers: { authorization } });
    expect(answer.status).toBe(401);
  });

  it("is checked before the body is read", async () => {
    const answer = await server.ask("/subgraphs/webhooks", {
      method: "POST",
      key: undefined,
      body: "{ no JSON",
    });
    expect(answer.status).toBe(401);
  });
});
