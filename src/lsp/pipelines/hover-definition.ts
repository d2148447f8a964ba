import type { Shown } from "../hover.js";
import { namedAt } from "./node-places.js";
import { datasetOf, describeNode, nodeNamed } from "./nodes.js";
import { aboutSetting, settingAt } from "./settings-at.js";
import type { DefinitionPlace } from "./typed-definition.js";

/** What a setting is for, what a node is, and what columns a dataset has; `undefined` if there is nothing to say. */
export function hoverDefinition(place: DefinitionPlace): Shown | undefined {
  const { tree, cursor } = place;
  const { path, kind, text } = cursor;
  const named = namedAt(place);
  const node = named && nodeNamed(tree, named.name);
  if (named && node)
    return { at: named.at, markdown: `**${plain(named.name)}**: ${plain(describeNode(node))}` };
  if (!text) return undefined;
  const at = text.string.at;
  if (kind === "value" && path[0] === "sources" && path[2] === "dataset_name") {
    const source = nodeNamed(tree, path[1] ?? "");
    const dataset = source && datasetOf(source);
    if (!dataset) return undefined;
    const columns = dataset.columns.map(({ name, type }) => `- \`${name}\` ${type}`);
    return { at, markdown: `${dataset.description}\n\n${columns.join("\n")}` };
  }
  if (kind !== "key") return undefined;
  const setting = settingAt(tree, path);
  if (setting) return { at, markdown: plain(aboutSetting(setting)) };
  return path.length === 3 && path[2] === "type"
    ? { at, markdown: `What it is, which decides its other settings.` }
    : undefined;
}

/** Text that Markdown leaves as it is. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~]/g, "\\$&");
}
