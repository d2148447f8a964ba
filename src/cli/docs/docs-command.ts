import { command } from "../terminal/command.js";

export const docsCommand = command({
  name: "docs [topic]",
  describe:
    "Print a page of the documentation, or find the sections with some words; without either, list all topics",
  positionals: {
    topic: { type: "string", describe: "topic, such as getting-started, or words to search for" },
  },
  examples: [
    ["$0 docs", "all topics"],
    ["$0 docs 'start block'", "the sections that have these words, the best first"],
    ["$0 docs configuration | less", "every setting of a configuration"],
  ],
  loadValues: async () => (await import("../../machine/manual.js")).readManual().map(({ name }) => name),
  load: async () => (await import("./print-docs.js")).printDocs,
});
