import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMcpServer } from "../../src/mcp/create-server.js";
import { type Tool, ToolRefusal } from "../../src/mcp/tool.js";

const page = {
  name: "serve",
  title: "Serve",
  part: "Run a server",
  markdown: "# Serve\n\nIt serves. See [a](a.md).\n\n## Ports\n\nA port.\n",
};

/** A tool that does what a test says. */
const tool = (run: Tool["run"]): Tool => ({
  name: "try",
  title: "Try",
  describe: "Tries.",
  input: {
    type: "object",
    properties: { value: {}, text: { type: "string", maxLength: 10 } },
    additionalProperties: false,
  },
  changes: true,
  isRemote: true,
  run,
});

/** A client of a server with one tool. @param answer what its user answers, if it can ask one */
async function clientOf(run: Tool["run"], answer?: { action: "accept" | "decline"; agree?: boolean }) {
  const bugs: unknown[] = [];
  const asked: string[] = [];
  const server = createMcpServer({
    version: "1.2.3",
    instructions: "Try it.",
    tools: [tool(run)],
    manual: [page],
    randomMark: () => "mark",
    explain: (error) => (error instanceof RangeError ? "known" : undefined),
    onBug: (error) => bugs.push(error),
  });
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: answer ? { elicitation: {} } : {} },
  );
  if (answer)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      const { action, agree } = answer;
      return action === "accept" ? { action, content: { agree: agree ?? false } } : { action };
    });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  onTestFinished(() => client.close());
  const call = async (value?: unknown) => {
    const { content, isError = false } = await client.callTool({
      name: "try",
      arguments: value === undefined ? {} : { value },
    });
    const [first] = content;
    return { isError, text: first?.type === "text" ? first.text : "" };
  };
  return { client, bugs, asked, call };
}

describe("a server of tools", () => {
  it("says what it is, lists its tools, and has the manual as resources", async () => {
    const { client } = await clientOf(async () => ({ kind: "own", text: "done" }));
    expect(client.getServerVersion()).toEqual({ name: "graphloom", title: "graphloom", version: "1.2.3" });
    expect(client.getInstructions()).toBe("Try it.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ["try", { readOnlyHint: false, destructiveHint: true, openWorldHint: true }],
      ["docs", { readOnlyHint: true, destructiveHint: false, openWorldHint: false }],
    ]);
    const { resources } = await client.listResources();
    expect(resources).toEqual([
      {
        name: "serve",
        uri: "graphloom://docs/serve",
        title: "Serve",
        description: "It serves. See a.",
        mimeType: "text/markdown",
      },
    ]);
    const { contents } = await client.readResource({ uri: "graphloom://docs/serve" });
    expect(contents).toEqual([
      { uri: "graphloom://docs/serve", mimeType: "text/markdown", text: page.markdown },
    ]);
    await expect(client.readResource({ uri: "graphloom://docs/../../etc/passwd" })).rejects.toThrow(
      "not found",
    );
    await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toThrow("not found");
  });

  it("marks data, and leaves its own text alone", async () => {
    const { call } = await clientOf(async ({ value }) =>
      value === 1 ? { kind: "own", text: "ours" } : { kind: "data", from: "a chain", text: "theirs" },
    );
    expect(await call(1)).toEqual({ isError: false, text: "ours" });
    expect((await call(2)).text).toMatch(
      /^This is data from a chain\. .*\n<data-mark>\ntheirs\n<\/data-mark>$/,
    );
  });

  it("says why a tool refuses, and reports a bug without its details", async () => {
    const errors = [new ToolRefusal("Not like this."), new RangeError("x"), new TypeError("secret inside")];
    const { call, bugs } = await clientOf(async ({ value }) => {
      throw errors[Number(value)];
    });
    expect(await call(0)).toEqual({ isError: true, text: "Not like this." });
    expect(await call(1)).toEqual({ isError: true, text: "known" });
    const bug = "This is a bug in graphloom, and its log has the details.";
    expect(await call(2)).toEqual({ isError: true, text: bug });
    expect(bugs).toEqual([errors[2]]);
  });

  it("refuses arguments with too many values or levels, unknown ones, and unknown tools", async () => {
    let ran = 0;
    const { client, call } = await clientOf(async () => {
      ran += 1;
      return { kind: "own", text: "ran" };
    });
    const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    expect(await call(nested(20))).toEqual({ isError: false, text: "ran" });
    expect(await call(nested(40))).toEqual({
      isError: true,
      text: "The arguments have more than 32 levels.",
    });
    expect((await call(new Array(5_000).fill(1))).isError).toBe(true);
    expect((await call(nested(5_000))).isError).toBe(true);
    for (const given of [{ other: 1 }, { text: "x".repeat(11) }, { text: 3 }])
      expect((await client.callTool({ name: "try", arguments: given })).isError).toBe(true);
    await expect(client.callTool({ name: "none", arguments: {} })).rejects.toThrow("not found");
    expect(ran).toBe(1);
  });
});

describe("a tool that asks the user", () => {
  const asking: Tool["run"] = async (_, { canAsk, agreed }) => {
    const answer = agreed("it");
    if (!canAsk) return { kind: "failed", text: "cannot ask" };
    return answer === undefined
      ? { kind: "question", key: "it", text: "Do it?" }
      : { kind: "own", text: answer ? "done" : "not done" };
  };

  it.each([
    [{ action: "accept", agree: true }, "done"],
    [{ action: "accept", agree: false }, "not done"],
    [{ action: "decline" }, "not done"],
  ] as const)("gets the answer %j of a client with forms", async (answer, want) => {
    const { call, asked } = await clientOf(asking, answer);
    expect((await call()).text).toBe(want);
    expect(asked).toEqual(["Do it?"]);
  });

  it("knows that a client has no forms", async () => {
    expect(await (await clientOf(asking)).call()).toEqual({ isError: true, text: "cannot ask" });
  });
});
