import { unstorableIn } from "../../base/text/unstorable.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { Host } from "../../compiler/host.js";
import { loadConfig } from "../../compiler/load/load-config.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";
import type { DefinedPipeline } from "./definition.js";
import { modernForm } from "./old-form.js";
import { readDefinition } from "./read-definition.js";
import type { DefinedSinkType } from "./sink-type.js";
import { substitute, type Variables } from "./substitute.js";

/**
 * Reads the definition of a pipeline or a stream from a file, and reports all mistakes in its settings.
 * @param path a YAML or JSON file, or `-` for standard input
 * @param sinkTypes the available types of sinks
 * @returns `undefined` after an error that leaves nothing to check
 */
export async function loadDefinition(
  path: string,
  host: Host,
  variables: Variables,
  sinkTypes: readonly DefinedSinkType[],
  report: Report,
): Promise<DefinedPipeline | undefined> {
  return (await loadWritten(path, host, variables, sinkTypes, report))?.definition;
}

/**
 * Does the same, and also returns the written definition, in the current form and with the names of its variables.
 */
export async function loadWritten(
  path: string,
  host: Host,
  variables: Variables,
  sinkTypes: readonly DefinedSinkType[],
  report: Report,
): Promise<{ readonly definition: DefinedPipeline; readonly written: TreeNode } | undefined> {
  const tree = await loadConfig(path, host, report, "name, sources and sinks");
  if (!tree) return undefined;
  const written = modernForm(tree, report);
  const substituted = substitute(written, variables, report);
  reportUnstorable(substituted, report);
  const definition = readDefinition(substituted, sinkTypes, report);
  return definition && { definition, written };
}

/** Reports all keys and strings that no database can store, since definitions and their names are kept in databases. */
function reportUnstorable(node: TreeNode, report: Report): void {
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
