import { readdirSync, readFileSync } from "node:fs";
import type { ManualPage } from "../base/manual.js";

/** The parts of the contents with their pages, in reading order for newcomers. */
const parts: Readonly<Record<string, readonly string[]>> = {
  Start: [
    "getting-started",
    "how-it-works",
    "existing-subgraph",
    "coming-from-goldsky",
    "coming-from-the-graph",
    "coming-from-ponder",
    "faq",
  ],
  "Write a subgraph": [
    "configuration",
    "mapping",
    "conversions",
    "diagnostics",
    "map",
    "editors",
    "building",
    "testing",
    "library",
  ],
  "Index and query": ["dev-and-run", "history-sources", "query", "graph-node", "compare-and-diff", "moving"],
  Deploy: ["deploy", "ci", "graph-node-doors", "agents"],
  "Pipelines and datasets": [
    "pipelines",
    "pipeline-sources",
    "pipeline-transforms",
    "pipeline-lookups",
    "pipeline-sinks",
    "pipeline-files",
    "pipeline-lakes",
    "pipeline-clickhouse",
    "pipeline-kafka",
    "pipeline-flink",
    "pipeline-server",
    "pipeline-changes",
    "pipeline-parked",
    "pipeline-verify",
    "hosted-sinks",
    "datasets",
  ],
  "Data service": ["data-service", "data-leaving"],
  "Run a server": ["serve", "production", "security", "limits", "restore", "troubleshooting"],
  graphloom: ["changelog", "contributing"],
};
const order = Object.values(parts).flat();
/** The part of pages that no other part names. */
const rest = "More";

/** The documentation that comes with the program, in reading order. @param folder of Markdown files */
export function readManual(folder = new URL("../../docs/", import.meta.url)): readonly ManualPage[] {
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -".md".length)] : []))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => {
      const markdown = readFileSync(new URL(`${name}.md`, folder), "utf8");
      const [, title = name] = /^# (.+)$/m.exec(markdown) ?? [];
      const [part = rest] = Object.entries(parts).find(([, pages]) => pages.includes(name)) ?? [];
      return { name, title, part, markdown };
    });
}
