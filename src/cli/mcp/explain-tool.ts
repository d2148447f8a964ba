import type { Tool } from "../../mcp/tool.js";
import { explainCode } from "../compile/explain-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { runQuietly } from "./run-quietly.js";
import { textIn } from "./tool-arguments.js";

/** The tool that explains a diagnostic's code. */
export function explainTool(terminal: Terminal): Tool {
  return {
    name: "explain",
    title: "Explain a code",
    describe:
      "Explains the code of a mistake that check reports, with a wrong and a right example. Without a code, it lists all.",
    input: {
      type: "object",
      properties: { code: { type: "string", maxLength: 100, description: "such as unknown-key" } },
      additionalProperties: false,
    },
    changes: false,
    isRemote: false,
    async run({ code }, { signal }) {
      const answer = await runQuietly("graphloom", terminal, signal, (quiet) =>
        explainCode({ code: textIn(code), output: "table" }, quiet),
      );
      // The catalogue is graphloom's own text.
      return answer.kind === "data" ? { kind: "own", text: answer.text } : answer;
    },
  };
}
