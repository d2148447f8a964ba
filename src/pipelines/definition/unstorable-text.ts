import { unstorableIn } from "../../base/unstorable.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";

/** Reports all keys and strings that no database can store, since definitions and their names are kept in databases. */
export function reportUnstorable(node: TreeNode, report: Report): void {
  if (node.kind === "string") reportText(node, report);
  if (node.kind === "array") for (const item of node.items) reportUnstorable(item, report);
  if (node.kind !== "object") return;
  for (const { key, value } of node.members) {
    reportText(key, report);
    reportUnstorable(value, report);
  }
}

function reportText(text: LocatedString, report: Report): void {
  const found = unstorableIn(text.value);
  if (!found) return;
  const { at, what } = found;
  report.error("unstorable-text", text.part(at, at + 1), `the text contains ${what}`, {
    label: "no database can store it",
    hint: "remove it",
  });
}
