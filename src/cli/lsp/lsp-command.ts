import { command } from "../terminal/command.js";
import { cacheOption, numberOption } from "../terminal/usage/options.js";

export const lspCommand = command({
  name: "lsp",
  describe:
    "Serve an editor over standard input and output: mistakes, fixes and completion (Language Server Protocol)",
  options: {
    // Editors pass it, and it is the only way.
    stdio: { type: "boolean", default: true, describe: "talk over standard input and output" },
    "client-process-id": {
      ...numberOption,
      describe: "process of the editor, which clients pass; the server ends with its input anyway",
    },
    cache: cacheOption,
  },
  examples: [
    ["$0 lsp --stdio", "the command line that an editor's settings name; the editor starts it itself"],
  ],
  epilogue: "graphloom docs editors shows the settings of several editors.",
  load: async () => (await import("./serve-lsp.js")).serveLsp,
});
