import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onPglite } from "../../support/database/databases.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import { deployForm, startPlatform, type TestPlatform } from "../../support/server/platform-server.js";

let server: TestPlatform;
beforeAll(async () => {
  server = await startPlatform(await onPglite().fresh(), {
    // Other machines can reach this server.
    trustedProxies: ["127.0.0.1"],
    reachable: ["10.1.0.0/16", "10.3.0.1:8080", "10.3.0.2:443", "[fd12::1]:80"],
  });
  await server.ask("/subgraphs/pools/deployments/1", { method: "PUT", form: deployForm(sampleBundle()) });
});
afterAll(() => server.close());

const create = (webhook_url: string) =>
  server.ask("/subgraphs/webhooks", {
    method: "POST",
    body: { name: webhook_url, subgraph_name: "pools", subgraph_version: "1", entity: "swap", webhook_url },
  });

describe("a new webhook", () => {
  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://127.0.0.1:8030/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:10.2.0.1]/",
    "http://10.2.0.1/",
    "https://[fe80::1]/",
    "http://10.3.0.1/",
    "http://10.3.0.1:8081/",
    "http://10.3.0.2/",
    "https://[fd12::1]/",
  ])("is refused for the private or special address %s", async (address) => {
    const { status, json } = await create(address);
    expect([status, json.detail]).toEqual([
      422,
      expect.stringContaining("The server sends no webhooks to this address: "),
    ]);
  });

  it.each([
    "http://10.1.2.3/",
    "http://10.3.0.1:8080/",
    "https://10.3.0.2/",
    "http://[fd12::1]/",
    "https://8.8.8.8/",
    "https://receiver.example/",
  ])("is created for the public or listed address %s", async (address) => {
    expect((await create(address)).status).toBe(200);
  });
});
