import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { NodeAddress, type NodeAnswer } from "../../src/rpc/node-address.js";
import { realWorld } from "../support/worlds.js";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(url: string): Promise<NodeAnswer & { readonly text: string }> {
  const answer = await new NodeAddress(url, realWorld).post("{}", new AbortController().signal);
  return { ...answer, text: new TextDecoder().decode(answer.bytes) };
}

describe("the address of a node", () => {
  it.each([301, 302, 303, 307, 308])("does not follow a redirect with status %s", async (status) => {
    let asked = 0;
    const inside = await serve((_, response) => {
      asked += 1;
      response.end("secret");
    });
    const url = await serve(
      (_, response) => void response.writeHead(status, { location: `${inside}/v3/key` }).end(),
    );
    const { text, silence } = await ask(url);
    expect(text).toBe(
      `a redirect to ${inside} (HTTP status ${status}), which is not followed; if that address is right, use it instead`,
    );
    expect([silence, asked]).toEqual(["away", 0]);
  });

  it("stops reading an answer that is nested too deeply", async () => {
    const url = await serve((_, response) => void response.end("[".repeat(2_000_000)));
    const { text, status } = await ask(url);
    expect([status, text]).toEqual([504, "the answer is nested more than 2500 levels deep"]);
  });

  it.each([
    ["1,024 nested calls", `${'{"calls":['.repeat(1_024)}${"]}".repeat(1_024)}`],
    ["brackets in strings", JSON.stringify({ text: `${'\\"['.repeat(100_000)}\\`, more: "{".repeat(9_000) })],
    ["strings next to brackets", JSON.stringify(Array.from({ length: 30_000 }, () => ['"', "\\", "[["]))],
  ])("reads an answer whole that contains %s", async (_, json) => {
    const url = await serve((_, response) => void response.end(json));
    const { text, status } = await ask(url);
    expect(status).toBe(200);
    expect(text).toBe(json);
  });
});
