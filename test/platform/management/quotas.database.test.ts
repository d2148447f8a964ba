import { describe, expect, it, onTestFinished } from "vitest";
import { edgePart } from "../../../src/platform/edge/edge-part.js";
import { onPglite } from "../../support/database/databases.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import {
  deployForm,
  managementParts,
  startPlatform,
  type TestAnswer,
} from "../../support/server/platform-server.js";

async function start() {
  const server = await startPlatform(await onPglite().fresh(), {
    quotas: { deployments: 2, endpoints: 2, webhooks: 2 },
    parts: [...managementParts, edgePart],
  });
  onTestFinished(() => server.close());
  return { server, other: await server.addKey("Owner", "project_other") };
}

type Make = (
  server: Awaited<ReturnType<typeof start>>["server"],
  name: string,
  key: string,
) => Promise<TestAnswer>;

const deploy: Make = (server, name, key) =>
  server.ask(`/subgraphs/pools/deployments/${name}`, {
    method: "PUT",
    form: deployForm(sampleBundle()),
    key,
  });
const endpoint: Make = (server, name, key) => server.ask("/edge", { method: "POST", body: { name }, key });
const webhook: Make = (server, name, key) =>
  server.ask("/subgraphs/webhooks", {
    method: "POST",
    body: {
      name,
      subgraph_name: "pools",
      subgraph_version: "a",
      entity: "swap",
      webhook_url: "https://receiver.example/",
    },
    key,
  });

describe("a project's quota", () => {
  it.each([
    ["subgraph versions", deploy, "DEPLOYMENTS", "/subgraphs/pools/deployments/b"],
    ["edge endpoints", endpoint, "ENDPOINTS", "/edge/b"],
    ["webhooks", webhook, "WEBHOOKS", "/subgraphs/webhooks/b"],
  ] as const)("limits %s, even for simultaneous requests", async (what, make, variable, path) => {
    const { server, other } = await start();
    const { token } = server;
    if (make === webhook) {
      await deploy(server, "a", token);
      await deploy(server, "a", other);
    }
    const names = ["a", "b", "c", "d", "e"];
    const made = await Promise.all(names.map((name) => make(server, name, token)));
    const refused = made.filter(({ status }) => status === 422);
    expect(refused).toHaveLength(3);
    expect(refused[0]?.json.detail).toContain(`at most 2 ${what}. Delete one first`);
    expect(refused[0]?.json.detail).toContain(`GRAPHLOOM_MOST_${variable}`);
    // The other project has a separate quota.
    expect((await make(server, "a", other)).status).toBeLessThan(300);
    const kept = names.find((_, index) => made[index]?.status !== 422) ?? "";
    expect((await server.ask(path.replace(/b$/, kept), { method: "DELETE" })).status).toBeLessThan(300);
    expect((await make(server, "f", token)).status).toBeLessThan(300);
  });

  it("does not count a repeated deployment of the same version", async () => {
    const { server } = await start();
    for (const name of ["a", "b", "b"]) expect((await deploy(server, name, server.token)).status).toBe(201);
  });
});
