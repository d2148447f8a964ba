import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type ManualPage, summaryOf } from "../base/manual.js";
import { nestsDeeper } from "../base/text/json-depth.js";
import { manualTool } from "./manual-tool.js";
import { cutText, markedText } from "./marked-text.js";
import { type Tool, type ToolAnswer, type ToolCall, ToolRefusal } from "./tool.js";

/** What a server offers. */
export interface McpOffer {
  /** The program's version. */
  readonly version: string;
  /** What the tools are for, for a language model. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly manual: readonly ManualPage[];
  /** A random word for each answer with data. */
  readonly randomMark: () => string;
  /**
   * Puts an error of a tool into words.
   * @returns `undefined` for an error that is a bug; the server reports it
   */
  readonly explain: (error: unknown) => string | undefined;
  /** Reports a bug. */
  readonly onBug: (error: unknown) => void;
}

/** Values in the arguments of one call, and how deeply they may nest. */
const mostValues = 2_000;
const deepest = 32;
/** The address of a page of the manual, before its name. */
const manualScheme = "graphloom://docs/";

/** Makes a server for one connection, or for one request over HTTP. */
export function createMcpServer(offer: McpOffer): McpServer {
  const server = new McpServer(
    { name: "graphloom", title: "graphloom", version: offer.version },
    { instructions: offer.instructions, maxToolInputElements: mostValues },
  );
  for (const tool of [...offer.tools, manualTool(offer.manual)]) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.describe,
        inputSchema: fromJsonSchema<Readonly<Record<string, unknown>>>({ ...tool.input }),
        annotations: {
          readOnlyHint: !tool.changes,
          destructiveHint: tool.changes,
          openWorldHint: tool.isRemote,
        },
      },
      async (input, context) => {
        const answer = await answerOf(tool, input, callOf(server, context), offer);
        if (answer.kind !== "question") return resultOf(answer, offer);
        return inputRequired({
          inputRequests: {
            [answer.key]: inputRequired.elicit({ message: answer.text, requestedSchema: agreement }),
          },
        });
      },
    );
  }
  addManual(server, offer.manual);
  return server;
}

/** The form of a question. */
const agreement = {
  type: "object" as const,
  properties: { agree: { type: "boolean" as const, title: "Do it", default: false } },
  required: ["agree"],
};

async function answerOf(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  call: ToolCall,
  { explain, onBug }: McpOffer,
): Promise<ToolAnswer> {
  try {
    if (nestsDeeper(JSON.stringify(input), deepest))
      throw new ToolRefusal(`The arguments have more than ${deepest} levels.`);
    return await tool.run(input, call);
  } catch (error) {
    if (error instanceof ToolRefusal) return { kind: "failed", text: error.message };
    const text = explain(error);
    if (text !== undefined) return { kind: "failed", text };
    onBug(error);
    return { kind: "failed", text: "This is a bug in graphloom, and its log has the details." };
  }
}

function callOf(server: McpServer, { mcpReq }: ServerContext): ToolCall {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  // Clients of the revisions of 2025 say once what they can do.
  const own = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
  return {
    signal: mcpReq.signal,
    canAsk: typeof own === "object" && own !== null && "elicitation" in own && own.elicitation !== undefined,
    agreed(key) {
      const view = inputResponse(mcpReq.inputResponses, key);
      if (view.kind !== "elicit") return undefined;
      return view.action === "accept" && view.content?.agree === true;
    },
  };
}

function resultOf(
  answer: Exclude<ToolAnswer, { kind: "question" }>,
  { randomMark }: McpOffer,
): CallToolResult {
  const { kind, text } = answer;
  const shown =
    answer.kind !== "own" && answer.from !== undefined
      ? markedText(answer.from, text, randomMark())
      : cutText(text);
  return { content: [{ type: "text", text: shown }], ...(kind === "failed" && { isError: true }) };
}

function addManual(server: McpServer, manual: readonly ManualPage[]): void {
  for (const page of manual) {
    const uri = `${manualScheme}${page.name}`;
    const about = { title: page.title, description: summaryOf(page), mimeType: "text/markdown" };
    server.registerResource(page.name, uri, about, async () => ({
      contents: [{ uri, mimeType: "text/markdown", text: page.markdown }],
    }));
  }
}
