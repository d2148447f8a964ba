import type { Report } from "../../compiler/diagnostics/report.js";
import {
  type Member,
  member,
  type ObjectNode,
  type StringNode,
  type TreeNode,
} from "../../compiler/source/tree.js";

const lists: ReadonlySet<string> = new Set(["sources", "transforms", "sinks"]);

/** Settings that were renamed. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["sourceStreamName", "from"],
  ["secretName", "secret_name"],
  ["startAt", "start_at"],
  ["primaryKey", "primary_key"],
  ["datasetName", "dataset_name"],
  ["batchSize", "batch_size"],
  ["batchFlushInterval", "batch_flush_interval"],
  ["schemaOverride", "schema_override"],
  ["deployments", "subgraphs"],
]);

const renamedTypes: ReadonlyMap<string, string> = new Map([["subgraphEntity", "subgraph_entity"]]);

/**
 * Turns the older form, in which sources, transforms and sinks are lists with a `referenceName`, into maps by name,
 * and reports a note. Other trees stay unchanged.
 */
export function modernForm(tree: TreeNode, report: Report): TreeNode {
  if (tree.kind !== "object") return tree;
  const old = tree.members.find(({ key, value }) => lists.has(key.value) && value.kind === "array");
  if (!old) return tree;
  report.note("old-form", old.key.at, "this definition is in the older form, with lists", {
    hint: "write maps of names to use newer settings",
  });
  return { ...tree, members: tree.members.map(modernMember) };
}

function modernMember({ key, value }: Member): Member {
  if (!lists.has(key.value) || value.kind !== "array") return { key, value };
  const members = value.items.flatMap((item) => (item.kind === "object" ? named(item) : []));
  return { key, value: { kind: "object", at: value.at, members } };
}

/** An item as a member of a map; `undefined` if it has no name. */
function named(item: ObjectNode): readonly Member[] {
  const name = item.members.find(({ key }) => key.value === "referenceName")?.value;
  if (name?.kind !== "string") return [];
  const members = item.members.filter(({ key }) => key.value !== "referenceName").flatMap(modernSetting);
  return [{ key: name, value: { ...item, members } }];
}

function modernSetting({ key, value }: Member): readonly Member[] {
  const name = renamed.get(key.value);
  const entity = key.value === "entity" ? member(value, "name") : undefined;
  if (entity) return [entity];
  if (key.value === "type" && value.kind === "string")
    return [{ key, value: renameString(value, renamedTypes.get(value.value)) }];
  return [{ key: name === undefined ? key : { ...key, value: name }, value }];
}

function renameString(text: StringNode, name: string | undefined): StringNode {
  return name === undefined ? text : { ...text, value: name };
}
