import { command } from "../terminal/command.js";

/** `docs` */
export const docsCommand = command({
  name: "docs [topic]",
  describe: "Print a page of the documentation; without a topic, list all topics",
  positionals: { topic: { type: "string", describe: "topic, such as getting-started" } },
  examples: [
    ["$0 docs", "all topics"],
    ["$0 docs configuration | less", "every setting of a configuration"],
  ],
  loadValues: async () => (await import("../../node/manual.js")).readManual().map(({ name }) => name),
  load: async () => (await import("./print-docs.js")).printDocs,
});
