import { quotePath } from "../../../base/text/quote.js";
import { Report } from "../../diagnostics/report.js";
import type { Host } from "../../host.js";
import { parseYaml } from "../../parse/parse-yaml.js";
import type { Source } from "../../source/source.js";
import type { TreeNode } from "../../source/tree.js";
import { member } from "../../source/tree.js";
import { readText } from "../read-text.js";
import { locator, type ProjectManifest, textAt } from "./project-manifest.js";
import { missingManifest, reportTemplate } from "./template-manifest.js";
import { type NetworkChoice, useNetwork } from "./use-network.js";
import { isOlder } from "./versions.js";

export interface ManifestOptions {
  readonly network?: NetworkChoice | undefined;
  /** Whether old versions stay unchanged. */
  readonly skipMigrations?: boolean | undefined;
  /** Version of the project's graph-ts, if it has one. */
  readonly graphTs: string | undefined;
}

/**
 * Reads the manifest of a project, and applies graph-cli's changes to the file before a build. The file itself stays
 * unchanged.
 * @returns `undefined` after a reported error
 */
export async function readManifest(
  path: string,
  host: Host,
  options: ManifestOptions,
  report: Report,
): Promise<ProjectManifest | undefined> {
  const read = await readText(path, host);
  if (read.kind !== "text") {
    const found = read.kind === "missing" ? await missingManifest(path, host) : undefined;
    const { code = "manifest-missing", ...details } = found ?? {};
    report.error(code, undefined, `the manifest ${quotePath(path)} ${read.reason}`, details);
    return undefined;
  }
  const source: Source = { path, text: read.text };
  if (await reportTemplate(source, host, report)) return undefined;
  const written = parseYaml(source, report);
  if (!written) return undefined;
  const locate = locator(written);
  const networked = options.network
    ? await useNetwork(source.text, options.network, host, (at) => locate(["dataSources", at]), report)
    : source.text;
  if (networked === undefined) return undefined;
  const before = networked === source.text ? written : reparsed(path, networked);
  const text = options.skipMigrations ? networked : migrateManifest(networked, before, options.graphTs);
  return {
    path,
    source,
    locate,
    tree: text === networked ? before : reparsed(path, text),
    ...(text !== source.text && { changed: text }),
    hasFileSources: text.includes("kind: file"),
  };
}

/** Parses a text derived from one without errors. */
function reparsed(path: string, text: string): TreeNode {
  const report = new Report();
  const tree = parseYaml({ path, text }, report);
  return tree ?? { kind: "null", at: { source: { path, text }, pointer: "", start: 0, end: 0 } };
}

/**
 * Raises old versions in the text of a manifest as graph-cli does before it builds: by text replacement, which keeps
 * formatting and comments.
 * @param tree the parsed text
 * @param graphTs version of the project's graph-ts; `undefined` if it has none
 */
function migrateManifest(text: string, tree: TreeNode, graphTs: string | undefined): string {
  let migrated = text;
  const isModern = graphTs === undefined || !isOlder(graphTs, "0.24.0");
  if (isModern && sourceVersions(tree).includes("0.0.5")) {
    migrated = migrated
      .replace(/apiVersion: 0.0.5/g, "apiVersion: 0.0.6")
      .replace(/apiVersion: '0.0.5'/g, "apiVersion: '0.0.6'")
      .replace(/apiVersion: "0.0.5"/g, 'apiVersion: "0.0.6"');
  }
  const version = textAt(tree, ["specVersion"]);
  if (version === "0.0.1") {
    migrated = migrated
      .replace("specVersion: 0.0.1", "specVersion: 0.0.2")
      .replace("specVersion: '0.0.1'", "specVersion: '0.0.2'")
      .replace('specVersion: "0.0.1"', 'specVersion: "0.0.2"');
  }
  const isOld = version === "0.0.1" || version === "0.0.2" || version === "0.0.3";
  if (isOld && !migrated.includes("specVersion: 0.0.4"))
    migrated = migrated.replace(/specVersion: ['"]?0.0.[23]['"]?/, "specVersion: 0.0.4");
  return migrated;
}

/** The versions for which a manifest's mappings are written. */
function sourceVersions(tree: TreeNode): readonly (string | undefined)[] {
  return ["dataSources", "templates"].flatMap((key) => {
    const list = member(tree, key)?.value;
    return list?.kind === "array" ? list.items.map((item) => textAt(item, ["mapping", "apiVersion"])) : [];
  });
}
