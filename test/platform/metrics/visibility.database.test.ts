import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { metricsPart } from "../../../src/platform/metrics/metrics-part.js";
import { createServerMetrics } from "../../../src/platform/metrics/server-metrics.js";
import { onPglite } from "../../support/database/databases.js";
import { readExposition, sampleValue } from "../../support/server/exposition.js";
import { freshStatus } from "../../support/server/hosting-double.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import {
  deployForm,
  managementParts,
  startPlatform,
  type TestAnswer,
  type TestPlatform,
} from "../../support/server/platform-server.js";

const metrics = createServerMetrics();
const ownKey = "the-key-of-metrics-alone";
let server: TestPlatform;
let stranger: string;
/** Deployments by the project that shows them. */
const ids = { ours: "", theirs: "", shared: "" };

beforeAll(async () => {
  server = await startPlatform(await onPglite().fresh(), {
    meters: metrics.meters,
    parts: [...managementParts, metricsPart(metrics, { isOpen: true, key: ownKey })],
  });
  stranger = await server.addKey("Owner", "project_stranger");
  const deploy = async (name: string, startBlock: number, key: string): Promise<string> => {
    const form = deployForm(sampleBundle({ startBlock }));
    const answer = await server.ask(`/subgraphs/${name}/deployments/1`, { method: "PUT", form, key });
    const id: string = answer.json.deployments[0].deployment_id;
    server.hosting.double.statuses.set(id, { ...freshStatus, headBlock: startBlock });
    metrics.meters.queried(id, "engine", 0.01);
    return id;
  };
  ids.ours = await deploy("our-secret-plan", 200, server.token);
  ids.theirs = await deploy("their-plan", 300, stranger);
  ids.shared = await deploy("our-name-for-it", 400, server.token);
  await deploy("their-name-for-it", 400, stranger);
});
afterAll(() => server.close());

const read = (key: string | undefined): Promise<TestAnswer> =>
  server.ask(`${server.address}/metrics`, { key });
const heads = (text: string) =>
  readExposition(text)
    .filter(({ name }) => name === "graphloom_deployment_head_block")
    .map(({ labels }) => [labels.deployment, labels.name])
    .sort();

describe("metrics name deployments", () => {
  it("only to their own project, by its names", async () => {
    const { text } = await read(stranger);
    expect(heads(text)).toEqual(
      [
        [ids.theirs, "their-plan/1"],
        [ids.shared, "their-name-for-it/1"],
      ].sort(),
    );
    for (const hidden of [ids.ours, "our-secret-plan", "our-name-for-it"]) expect(text).not.toContain(hidden);
    const own = (await read(server.token)).text;
    expect(heads(own).flat().sort()).toEqual(
      [ids.ours, ids.shared, "our-name-for-it/1", "our-secret-plan/1"].sort(),
    );
    const queries = (told: string, deployment: string) =>
      sampleValue(readExposition(told), "graphloom_queries_total", { deployment });
    expect([queries(text, ids.theirs), queries(text, ids.ours), queries(own, ids.ours)]).toEqual([
      1,
      undefined,
      1,
    ]);
    expect([queries(text, ids.shared), queries(own, ids.shared)]).toEqual([undefined, undefined]);
    expect(
      sampleValue(readExposition(own), "graphloom_deployments", { health: "healthy", paused: "no" }),
    ).toBe(2);
  });

  it("only as totals to requests without a key", async () => {
    const { status, text } = await read(undefined);
    expect(status).toBe(200);
    for (const hidden of [...Object.values(ids), "secret-plan", "their-plan", "name-for-it"])
      expect(text).not.toContain(hidden);
    const samples = readExposition(text);
    expect(sampleValue(samples, "graphloom_queries_total", { answered_by: "engine" })).toBe(4);
    expect(sampleValue(samples, "graphloom_deployments", { health: "healthy", paused: "no" })).toBe(3);
    expect(sampleValue(samples, "graphloom_database_up")).toBe(1);
  });

  it("in full to the metrics key, which opens nothing else", async () => {
    const { text } = await read(ownKey);
    expect(heads(text).map(([id]) => id)).toEqual([...Object.values(ids)].sort());
    expect(
      sampleValue(readExposition(text), "graphloom_queries_total", { deployment: ids.shared }),
    ).toBeGreaterThan(0);
    expect((await server.ask("/subgraphs", { key: ownKey })).status).toBe(401);
    for (const wrong of ["the-key-of-metrics-alon", `${ownKey}e`, "gl_wrong"])
      expect((await read(wrong)).status).toBe(401);
  });

  it("correctly to concurrent callers with different rights", async () => {
    const asked = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => read(turn % 2 ? stranger : ownKey)),
    );
    const seen = asked.map(({ text }) => text.includes(ids.ours));
    expect(seen).toEqual(seen.map((_, turn) => turn % 2 === 0));
  });
});
