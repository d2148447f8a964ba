import { command } from "../terminal/command.js";
import { outputOption } from "../terminal/options.js";

/** `explain` */
export const explainCommand = command({
  name: "explain [code]",
  describe: "Explain a kind of error, warning or note; without a code, list them all",
  positionals: { code: { type: "string", describe: "the word in brackets, such as unknown-key" } },
  options: { output: outputOption },
  examples: [
    ["$0 explain expression-type", "what to do about error[expression-type]"],
    ["$0 explain --output json", "all codes, for a program"],
  ],
  loadValues: async () => (await import("../../compiler/diagnostics/catalog.js")).codes,
  load: async () => (await import("./explain-code.js")).explainCode,
});
