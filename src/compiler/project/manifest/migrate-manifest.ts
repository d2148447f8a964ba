import { member, type TreeNode } from "../../source/tree.js";
import { textAt } from "./project-manifest.js";
import { isOlder } from "./versions.js";

/**
 * Raises old versions in the text of a manifest as graph-cli does before it builds: by text replacement, which keeps
 * formatting and comments.
 * @param tree the parsed text
 * @param graphTs version of the project's graph-ts; `undefined` if it has none
 */
export function migrateManifest(text: string, tree: TreeNode, graphTs: string | undefined): string {
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
