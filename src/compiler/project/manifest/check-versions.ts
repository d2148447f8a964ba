import { quote } from "../../../base/text/quote.js";
import type { Report } from "../../diagnostics/report.js";
import { member } from "../../source/tree.js";
import { type ProjectManifest, textAt } from "./project-manifest.js";
import { isOlder } from "./versions.js";

const oldestApi = "0.0.5";
const oldestGraphTs = "0.25.0";

/** Reports mappings and a graph-ts written for a different version of AssemblyScript. */
export function checkVersions(manifest: ProjectManifest, graphTs: string | undefined, report: Report): void {
  for (const key of ["dataSources", "templates"]) {
    const list = member(manifest.tree, key)?.value;
    if (list?.kind !== "array") continue;
    for (const [at, item] of list.items.entries()) {
      const version = textAt(item, ["mapping", "apiVersion"]);
      if (version === undefined || !isOlder(version, oldestApi)) continue;
      report.error(
        "manifest-version",
        manifest.locate([key, at, "mapping", "apiVersion"]),
        `mappings of apiVersion ${quote(version)} are too old`,
        { hint: `follow the migration guide of AssemblyScript, and raise it to ${oldestApi} or more` },
      );
    }
  }
  if (graphTs === undefined || !isOlder(graphTs, oldestGraphTs)) return;
  report.error("manifest-version", undefined, `the project's graph-ts ${graphTs} is too old`, {
    hint: `update @graphprotocol/graph-ts to ${oldestGraphTs} or more`,
  });
}
