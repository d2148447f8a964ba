import { readdirSync, readFileSync } from "node:fs";
import type { ManualPage } from "../base/manual.js";

/** The reading order for newcomers; all other pages come last. */
const order = [
  "getting-started",
  "existing-subgraph",
  "configuration",
  "map",
  "dev-and-run",
  "history-sources",
  "testing",
  "datasets",
  "deploy",
  "query",
  "graph-node",
  "serve",
  "graph-node-doors",
  "security",
  "compare-and-diff",
  "moving",
  "diagnostics",
  "agents",
  "library",
  "troubleshooting",
  "contributing",
];

/** The documentation that comes with the program, in reading order. @param folder of Markdown files */
export function readManual(folder = new URL("../../docs/", import.meta.url)): readonly ManualPage[] {
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -".md".length)] : []))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => {
      const markdown = readFileSync(new URL(`${name}.md`, folder), "utf8");
      const [, title = name] = /^# (.+)$/m.exec(markdown) ?? [];
      return { name, title, markdown };
    });
}
