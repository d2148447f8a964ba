import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { sharedCache } from "../../support/compiler/shared-cache.js";

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** An agent's connection to `graphloom mcp`, which runs as a process. */
export interface Agent {
  readonly client: Client;
  /** The questions that its user was asked. */
  readonly asked: readonly string[];
  /** Calls a tool. @returns the text of its answer, and whether it has failed */
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<{ isError: boolean; text: string }>;
}

export interface AgentOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What its user answers; without it, the client has no forms. */
  readonly agrees?: boolean;
  /** Whether it negotiates the newest revision of the protocol; otherwise it speaks that of 2025. */
  readonly isModern?: boolean;
}

/** Starts `graphloom mcp` in a folder, until the end of the test. */
export async function startAgent(
  cwd: string,
  { args = [], env = {}, agrees, isModern = false }: AgentOptions = {},
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
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, "mcp", ...args],
      cwd,
      env: { PATH: process.env.PATH ?? "", HOME: cwd, ...sharedCache, ...env },
    }),
  );
  onTestFinished(() => client.close());
  return {
    client,
    asked,
    async call(name, given = {}) {
      // A test machine may be busy.
      const answer = await client.callTool({ name, arguments: given }, { timeout: 600_000 });
      const [first] = answer.content;
      return { isError: answer.isError ?? false, text: first?.type === "text" ? first.text : "" };
    },
  };
}
