import { afterAll, beforeAll, expect, it } from "vitest";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import { onEither } from "../../support/database/databases.js";
import { forbiddenFilter, forbiddenPlaces, forbiddenText } from "../../support/pipelines/forbidden-places.js";
import {
  partsBesidePipelines,
  startPlatform,
  type TestAnswer,
  type TestPlatform,
} from "../../support/server/platform-server.js";

const databases = onEither();
let server: TestPlatform;
beforeAll(async () => {
  // Nothing listens there: a definition with mistakes reaches neither Flink nor Kafka.
  const kafka = JSON.stringify({ bootstrapServers: "127.0.0.1:9" });
  const create = pipelinesOn({ verify: "bloom", flink: { gateway: "http://127.0.0.1:9", kafka } });
  server = await startPlatform(await databases.fresh(), {
    parts: [...partsBesidePipelines, pipelinesPart(create)],
  });
  const value = {
    type: "jdbc",
    protocol: "postgres",
    host: "127.0.0.1",
    port: 9,
    databaseName: "x",
    user: "u",
    password: "p",
  };
  await server.ask("/secrets", { method: "POST", body: { name: "DB", value } });
  for (const engine of ["graphloom", "flink"]) {
    const text = textOf(engine, partsOf(["SELECT id FROM logs"], false));
    const body = { text, engine, status: "INACTIVE" };
    const path = `/pipelines/${engine}/definition`;
    const { status, json } = await server.ask(path, { method: "PUT", body });
    expect([status, json.errors]).toEqual([200, undefined]);
  }
});
afterAll(() => server?.close());

/** A definition with a transform and a sink for each query. @param filter of another source */
function partsOf(queries: readonly string[], job: boolean, filter?: string) {
  const source = { type: "dataset", dataset_name: "base.raw_logs", version: "1.0.0" };
  const block = { start_at: 1, end_block: 2 };
  const named = queries.map((sql, index) => [`t${index}`, sql] as const);
  return {
    job,
    sources: {
      logs: { ...source, ...block },
      ...(filter !== undefined && { filtered: { ...source, ...block, filter } }),
    },
    transforms: Object.fromEntries(
      named.map(([name, sql]) => [name, { type: "sql", primary_key: "id", sql }]),
    ),
    sinks: Object.fromEntries(
      named.map(([name]) => [
        `s${name}`,
        { type: "postgres", from: name, table: name, schema: "public", secret_name: "DB" },
      ]),
    ),
  };
}

type Parts = ReturnType<typeof partsOf>;

/** Every route that takes queries, and what it may be asked to run them. */
const routes: readonly (readonly [what: string, ask: (parts: Parts) => Promise<TestAnswer>])[] = [
  ["a check", (parts) => post("/pipelines/check", { text: textOf("new", parts) })],
  ["a validation", (parts) => post("/pipelines/validate", { name: "new", definition: parts })],
  ["a preview", (parts) => post("/pipelines/preview", { name: "new", definition: parts })],
  ["a creation", (parts) => post("/pipelines", { name: "new", definition: parts })],
  ...["graphloom", "flink"].flatMap((engine): typeof routes => [
    [
      `an application on ${engine}`,
      (parts) => put("/pipelines/new/definition", { text: textOf("new", parts), engine }),
    ],
    [
      `an update on ${engine}`,
      (parts) => put(`/pipelines/${engine}/definition`, { text: textOf(engine, parts) }),
    ],
    [
      `a comparison on ${engine}`,
      (parts) => post(`/pipelines/${engine}/compare`, { text: textOf(engine, parts) }),
    ],
  ]),
];

it.each(routes)("%s finds functions that read files in every place of a query", async (what, ask) => {
  // All routes share one check, and each check takes a process: one route of each engine shows that it finds every place.
  const isApplication = what.startsWith("an application");
  const queries = isApplication ? forbiddenPlaces : forbiddenPlaces.slice(0, 2);
  for (const job of isApplication ? [false, true] : [false]) {
    const { status, json, text } = await ask(partsOf(queries, job, forbiddenFilter));
    // Checks answer whatever they find.
    expect([job, status]).toEqual([job, expect.toBeOneOf([200, 400])]);
    const found: Finding[] = json.errors ?? json.data.findings;
    const forbidden = found.filter(({ message }) => message.startsWith(forbiddenText));
    const places = ["sources.filtered.filter", ...queries.map((_sql, at) => `transforms.t${at}.sql`)];
    expect([job, text, new Set(forbidden.map(({ field }) => field))]).toEqual([job, text, new Set(places)]);
    expect(json.valid ?? false).toBe(false);
  }
  expect((await server.ask("/pipelines/new")).status).toBe(404);
});

interface Finding {
  readonly field?: string;
  readonly message: string;
}

function textOf(name: string, parts: Parts): string {
  return JSON.stringify({ name, ...parts });
}

function post(path: string, body: object): Promise<TestAnswer> {
  return server.ask(path, { method: "POST", body });
}

function put(path: string, body: object): Promise<TestAnswer> {
  return server.ask(path, { method: "PUT", body });
}
