import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";

/** A zero byte, or half of a surrogate pair. */
const unstorable = /\0|\p{Surrogate}/u;

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
  const at = text.value.search(unstorable);
  if (at < 0) return;
  const what = text.value[at] === "\0" ? "a zero byte" : "half of a surrogate pair";
  report.error("unstorable-text", text.part(at, at + 1), `the text contains ${what}`, {
    label: "no database can store it",
    hint: "remove it",
  });
}
