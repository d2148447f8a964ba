import { command } from "../terminal/command.js";

/** `explain` */
export const explainCommand = command({
  name: "explain [code]",
  describe: "Explain a kind of error, warning or note; without a code, list them all",
  positionals: { code: { type: "string", describe: "the word in brackets, such as unknown-key" } },
  examples: [["$0 explain expression-type", "what to do about error[expression-type]"]],
  load: async () => (await import("./explain-code.js")).explainCode,
});
