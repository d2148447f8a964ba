import { command } from "../terminal/command.js";
import { outputOption } from "../terminal/usage/options.js";

export const explainCommand = command({
  name: "explain [code]",
  describe: "Explain an error, warning or note; without a code, list all codes",
  positionals: {
    code: { type: "string", describe: "code that a message shows in brackets, such as unknown-key" },
  },
  options: { output: outputOption },
  examples: [
    ["$0 explain expression-type", "what error[expression-type] means, and how to fix it"],
    ["$0 explain --output json", "all codes, as JSON for a program"],
  ],
  loadValues: async () => (await import("../../compiler/diagnostics/catalog.js")).codes,
  load: async () => (await import("./explain-code.js")).explainCode,
});
