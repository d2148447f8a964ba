import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { Agent } from "./mcp-client.js";

/** An agent that talks to the tools of a server, by the SDK's own client. @param agrees as for `startAgent` */
export async function httpAgent(
  address: string,
  token: string,
  { agrees, isModern = false }: { readonly agrees?: boolean; readonly isModern?: boolean } = {},
): Promise<Agent> {
  const asked: string[] = [];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      capabilities: agrees === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: isModern ? "auto" : "legacy" },
    },
  );
  if (agrees !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { agree: agrees } };
    });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", address), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return {
    client,
    asked,
    async call(name, given = {}) {
      const { content, isError = false } = await client.callTool(
        { name, arguments: given },
        { timeout: 600_000 },
      );
      const [first] = content;
      return { isError, text: first?.type === "text" ? first.text : "" };
    },
  };
}
