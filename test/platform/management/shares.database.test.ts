import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { type Work, workOf } from "../../../src/platform/http/route-work.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import { onPglite } from "../../support/database/databases.js";
import {
  partsBesidePipelines,
  startPlatform,
  type TestPlatform,
} from "../../support/server/platform-server.js";

/* Every route of the API has a limit for one project. A new route is added here, with the work that it makes. */

/** The routes of the API by the work that they make, and the row of the manual that has their limit. */
const routes: Readonly<Record<Work, { readonly row: string; readonly all: readonly string[] }>> = {
  check: {
    row: "checks of pipeline definitions",
    all: [
      "POST /pipelines",
      "POST /pipelines/preview",
      "POST /pipelines/validate",
      "POST /pipelines/check",
      "PUT /pipelines/{name}/definition",
      "POST /pipelines/{name}/compare",
      "POST /pipelines/{name}/snapshots",
      "GET /pipelines/{name}/parked",
    ],
  },
  deploy: { row: "deployments", all: ["PUT /subgraphs/{name}/deployments/{version}"] },
  build: {
    row: "downloads of builds",
    all: ["GET /deployments/{deployment}/build", "GET /ipfs/{cid}", "GET /subgraphs/{name}/{version}/build"],
  },
  dump: { row: "dumps", all: ["POST /subgraphs/{name}/{version}/dump"] },
  restore: {
    row: "restores",
    all: ["POST /restores", "POST /restores/{deployment}/complete", "POST /restores/{deployment}/rows"],
  },
  file: { row: "dataset files", all: ["GET /datasets/{dataset}/file"] },
  stream: { row: "readers of rows", all: ["GET /pipelines/{name}/inspect"] },
  task: {
    row: "tasks of pipelines",
    all: [
      "POST /pipelines/{name}/parked/drop",
      "POST /pipelines/{name}/parked/retry",
      "POST /pipelines/{name}/repair",
      "POST /pipelines/{name}/replay",
      "POST /pipelines/{name}/verify",
    ],
  },
  request: {
    row: "API requests",
    all: [
      "DELETE /auth/token",
      "DELETE /edge/{name}",
      "DELETE /hosted-sinks/{name}",
      "DELETE /pipelines/{name}",
      "DELETE /projects/{id}/api-keys/{keyId}",
      "DELETE /projects/{id}/members/{email}",
      "DELETE /secrets/{name}",
      "DELETE /subgraphs/webhooks/{name}",
      "DELETE /subgraphs/{name}/deployments/{version}",
      "DELETE /subgraphs/{name}/tags/{version}",
      "GET /auth",
      "GET /datasets",
      "GET /edge",
      "GET /edge/networks",
      "GET /edge/sources",
      "GET /edge/{name}",
      "GET /edge/{name}/api-key",
      "GET /edge/{name}/metrics",
      "GET /extensions/webhooks/{name}",
      "GET /extensions/webhooks/{name}/deliveries",
      "GET /extensions/webhooks/{name}/deliveries/{id}",
      "GET /me",
      "GET /nodes",
      "GET /pipelines",
      "GET /pipelines/{name}",
      "GET /pipelines/{name}/info",
      "GET /pipelines/{name}/logs",
      "GET /pipelines/{name}/logs/error-count",
      "GET /pipelines/{name}/snapshots",
      "GET /pipelines/{name}/state",
      "GET /pipelines/{name}/status",
      "GET /pipelines/{name}/tasks",
      "GET /pipelines/{name}/tasks/{id}",
      "GET /pipelines/{name}/versions",
      "GET /projects",
      "GET /projects/{id}/api-keys",
      "GET /projects/{id}/audit",
      "GET /projects/{id}/members",
      "GET /secrets",
      "GET /secrets/{name}/value",
      "GET /subgraphs",
      "GET /subgraphs/supported-chains",
      "GET /subgraphs/webhooks",
      "GET /subgraphs/{name}",
      "GET /subgraphs/{name}/{version}",
      "GET /subgraphs/{name}/{version}/entities",
      "GET /subgraphs/{name}/{version}/logs",
      "GET /subgraphs/{name}/{version}/rewind",
      "PATCH /edge/{name}",
      "PATCH /extensions/webhooks/{name}",
      "PATCH /projects/{id}",
      "PATCH /projects/{id}/members/{email}",
      "PATCH /secrets/{name}",
      "PATCH /subgraphs/{name}/{version}",
      "POST /auth/token",
      "POST /edge",
      "POST /extensions/webhooks/deliveries/{id}/redeliver",
      "POST /extensions/webhooks/{name}/redeliver-failed",
      "POST /hosted-sinks",
      "POST /projects",
      "POST /projects/{id}/api-keys",
      "POST /projects/{id}/invitations",
      "POST /projects/{id}/leave",
      "POST /secrets",
      "POST /subgraphs/webhooks",
      "POST /subgraphs/{name}/{version}/rewind",
      "PUT /edge/{name}/pause",
      "PUT /edge/{name}/resume",
      "PUT /extensions/webhooks/{name}/pause",
      "PUT /extensions/webhooks/{name}/resume",
      "PUT /pipelines/{name}/cancel-update",
      "PUT /pipelines/{name}/pause",
      "PUT /pipelines/{name}/restart",
      "PUT /pipelines/{name}/resume",
      "PUT /pipelines/{name}/size",
      "PUT /pipelines/{name}/status",
      "PUT /pipelines/{name}/tasks/{id}/cancel",
      "PUT /subgraphs/{name}/tags/{version}",
      "PUT /subgraphs/{name}/{version}/pause",
      "PUT /subgraphs/{name}/{version}/resume",
    ],
  },
};

describe("every route of the API", () => {
  let server: TestPlatform;
  beforeAll(async () => {
    server = await startPlatform(await onPglite().fresh(), {
      parts: [...partsBesidePipelines, pipelinesPart(pipelinesOn({ verify: "bloom" }))],
    });
  });
  afterAll(() => server.close());

  it("makes a kind of work that has a limit for one project", async () => {
    const document = (await server.ask("/openapi.json")).json;
    const served = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(served.toSorted()).toEqual(
      Object.values(routes)
        .flatMap(({ all }) => all)
        .toSorted(),
    );
    for (const [work, { all }] of Object.entries(routes))
      for (const route of all) {
        const [method = "", path = ""] = route.split(" ");
        expect([route, workOf(method, path)]).toEqual([route, work]);
      }
  });

  it("has its limit in the manual", () => {
    const manual = readFileSync(new URL("../../../docs/limits.md", import.meta.url), "utf8");
    for (const { row } of Object.values(routes)) expect(manual).toContain(`| ${row} |`);
  });
});

it("Requests of one project wait for each other, and others do not wait for them.", async () => {
  const server = await startPlatform(await onPglite().fresh(), { parts: partsBesidePipelines });
  try {
    const other = await server.addKey("Owner", "project_other");
    const own = Array.from({ length: 260 }, () => server.ask("/secrets"));
    const theirs = await Promise.all(Array.from({ length: 5 }, () => server.ask("/secrets", { key: other })));
    const answers = await Promise.all(own);
    expect(theirs.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 429)).toEqual(
      [],
    );
  } finally {
    await server.close();
  }
});
