import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { onEither } from "../../support/database/databases.js";
import { startWholeServer, type WholeServer } from "../../support/server/whole-server.js";

const databases = onEither();
let server: WholeServer;
beforeAll(async () => {
  server = await startWholeServer(await databases.fresh());
});
afterAll(() => server.close());

/** An agent with a key, by the SDK's own client. */
async function agentOf(token: string, isModern = false) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: isModern ? "auto" : "legacy" } },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", server.address), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return {
    client,
    async call(name: string, given: Readonly<Record<string, unknown>> = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: given });
      const [first] = content;
      return { isError, text: first?.type === "text" ? first.text : "" };
    },
  };
}

const pools = { name: "pools", version: "1.0.0" };

describe("the address for coding agents", () => {
  it.each([
    false,
    true,
  ])("lists tools and reads the project's subgraphs (newest protocol: %s)", async (isModern) => {
    const { client, call } = await agentOf(server.token, isModern);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "subgraphs",
      "subgraph",
      "log",
      "schema",
      "query",
      "why",
      "pipelines",
      "verify",
      "task",
      "docs",
    ]);
    expect(tools.filter(({ inputSchema }) => inputSchema.additionalProperties !== false)).toEqual([]);
    const list = await call("subgraphs");
    expect(list).toEqual({ isError: false, text: expect.stringContaining('"pools"') });
    expect(list.text).toMatch(/^This is data from the project\. [^\n]+\n<data-(\w+)>\n[\s\S]+\n<\/data-\1>$/);
    expect((await call("subgraph", pools)).text).toContain('"version":"1.0.0"');
    expect((await call("log", { ...pools, search: "a" })).isError).toBe(false);
    expect((await call("query", { ...pools, query: "{ things { id } }", block: 5 })).text).toContain(
      '{"data":{}}',
    );
    const why = await call("why", { ...pools, entity: "Thing", id: "a" });
    expect(why).toEqual({ isError: false, text: expect.stringContaining('"entity":"Thing","id":"a"') });
    expect((await call("pipelines")).text).toContain('"moved"');
    const [page] = (await client.readResource({ uri: "graphloom://docs/serve" })).contents;
    expect(page && "text" in page && page.text).toBe("# Serve\n\nText.\n");
  });

  it("says why a request of a tool was refused, in the words of the API", async () => {
    const { call } = await agentOf(server.token);
    const none = await call("subgraph", { name: "none", version: "1.0.0" });
    expect(none).toEqual({ isError: true, text: expect.stringMatching(/none\/1\.0\.0[\s\S]*\(404\)/) });
    const missing = await call("query", { name: "none", version: "1.0.0", query: "{ a }" });
    expect(missing).toEqual({ isError: true, text: expect.stringContaining("(404)") });
  });

  it("gives each caller what their role allows, and nothing of other projects", async () => {
    const viewer = await agentOf(await server.addKey("Viewer"));
    expect((await viewer.call("subgraph", pools)).isError).toBe(false);
    const begun = await viewer.call("verify", { pipeline: "moved" });
    expect(begun.isError).toBe(false);
    const [, id = ""] = /"id":"([^"]+)"/.exec(begun.text) ?? [];
    expect((await viewer.call("task", { pipeline: "moved", id })).text).toContain(id);
    const foreign = await agentOf(await server.addKey("Owner", "project_foreign"));
    expect((await foreign.call("subgraphs")).text).not.toContain("pools");
    for (const [name, given] of [
      ["subgraph", pools],
      ["log", pools],
      ["query", { ...pools, query: "{ a }" }],
      ["schema", pools],
      ["why", { ...pools, entity: "Thing", id: "a" }],
      ["task", { pipeline: "moved", id }],
    ] as const)
      expect([name, (await foreign.call(name, given)).text]).toEqual([
        name,
        expect.stringMatching(/\(40[34]\)/),
      ]);
    await expect(agentOf("gl_wrong")).rejects.toThrow();
  });

  it.each([
    [{ name: "..", version: "secrets" }],
    [{ name: "pools/../../secrets", version: "1.0.0" }],
    [{ name: "pools", version: "../../secrets" }],
    [{ name: "pools", version: "1.0.0?x=1" }],
    [{ name: "pools" }],
    [{ ...pools, project: "project_foreign" }],
    [{ name: 1, version: [] }],
  ])("refuses arguments that could lead elsewhere: %j", async (given) => {
    const { call } = await agentOf(server.token);
    expect(await call("subgraph", given)).toEqual({
      isError: true,
      text: expect.stringContaining("Invalid arguments"),
    });
  });

  it("refuses batches, other bodies, other methods and streams", async () => {
    const send = async (body: string, headers: Record<string, string> = {}, method = "POST") => {
      const answer = await fetch(`${server.address}/mcp`, {
        method,
        headers: {
          authorization: `Bearer ${server.token}`,
          ...(method === "POST" && { "content-type": "application/json" }),
          accept: "application/json, text/event-stream",
          ...headers,
        },
        ...(method === "POST" && { body }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const body of [JSON.stringify([list, list]), "7", "null", "{", `${"[".repeat(100_000)}`])
      expect([body.slice(0, 20), (await send(body)).status]).toEqual([body.slice(0, 20), 400]);
    expect((await send(JSON.stringify({ ...list, x: "x".repeat(2_000_000) }))).status).toBe(413);
    expect((await send("x", { "content-type": "text/plain" })).status).toBe(400);
    for (const method of ["GET", "DELETE"])
      expect([method, (await send("", {}, method)).status]).toEqual([method, 405]);
    expect((await send(JSON.stringify(list), { authorization: "" })).status).toBe(401);
    // It ends at once.
    const listening = { ...list, method: "subscriptions/listen", params: { notifications: {} } };
    expect((await send(JSON.stringify(listening))).text).toContain('"error"');
    expect((await send(JSON.stringify(list))).text).toContain('"tools"');
  });
});
