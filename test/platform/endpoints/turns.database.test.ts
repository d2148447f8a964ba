import { describe, expect, it, onTestFinished } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { onPglite } from "../../support/database/databases.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import { deployForm, managementParts, startPlatform } from "../../support/server/platform-server.js";

describe("a client of public endpoints", () => {
  it("runs at most a few queries at once across subgraphs, and keeps no other client waiting", async () => {
    const server = await startPlatform(await onPglite().fresh(), {
      parts: [...managementParts, () => ({ routes: endpoints() })],
      trustedProxies: ["127.0.0.1"],
    });
    onTestFinished(() => server.close());
    for (const startBlock of [1, 2, 3]) {
      const form = deployForm(sampleBundle({ startBlock }));
      const made = await server.ask(`/subgraphs/pools/deployments/${startBlock}`, { method: "PUT", form });
      expect(made.status).toBe(201);
    }
    let open: () => void = () => undefined;
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    const running: string[] = [];
    let most = 0;
    server.hosting.double.answer = async (_, { text }) => {
      const { query } = JSON.parse(text);
      running.push(query);
      most = Math.max(most, running.filter((one) => one.includes("slow")).length);
      if (query.includes("slow")) await isOpen;
      running.splice(running.indexOf(query), 1);
      return { status: 200, body: '{"data":{}}', headers: {} };
    };
    const ask = (query: string, client: string, version: number) =>
      server.ask(`/api/public/${server.project}/subgraphs/pools/${version}/gn`, {
        method: "POST",
        body: { query },
        key: undefined,
        headers: { "x-forwarded-for": client },
      });
    const slow = Array.from({ length: 12 }, (_, turn) =>
      ask(`{ slow${turn} }`, "203.0.113.1", (turn % 3) + 1),
    );
    await expect.poll(() => running.length).toBe(2);
    // A second client is answered while those wait, even for the same subgraphs.
    for (const version of [1, 2, 3]) {
      expect((await ask(`{ quick${version} }`, "203.0.113.2", version)).status).toBe(200);
    }
    expect(most).toBe(2);
    open();
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(most).toBe(2);
  });
});
