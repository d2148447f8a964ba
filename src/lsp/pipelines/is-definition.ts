import { Report } from "../../compiler/diagnostics/report.js";
import { parseDocument } from "../../compiler/parse/parse-document.js";
import { parseYaml } from "../../compiler/parse/parse-yaml.js";
import { member, type ObjectNode, type TreeNode } from "../../compiler/source/tree.js";
import { sourceShapes } from "../../pipelines/definition/shapes.js";

/**
 * Whether a document defines a pipeline or a stream. Other tools also have files with sources and sinks, or with a name
 * and sources, so one of these is not enough.
 */
export function isDefinition(tree: TreeNode): boolean {
  if (tree.kind !== "object" || member(tree, "kind")) return false;
  const sources = partOf(tree, "sources");
  const sinks = partOf(tree, "sinks");
  if (!sources && !sinks) return false;
  const version = member(tree, "apiVersion")?.value;
  if (version) return version.kind === "number" && version.value === 3;
  if (!member(tree, "name")) return false;
  // A stream that is being written has no sinks yet.
  return sources !== undefined && (sinks !== undefined || nodesIn(sources).some(hasOwnType));
}

/** Whether the text of a file defines a pipeline or a stream, as far as it can be parsed. */
export function isDefinitionText(path: string, text: string): boolean {
  const tree = parseDocument({ path, text }, new Report(), parseYaml);
  return tree ? isDefinition(tree) : looksLikeDefinition(text);
}

/**
 * Whether a text that cannot be parsed may be a definition: it has the lines with which only these begin. Nothing is
 * completed in it, so a mistake costs no more than a message about the text.
 */
export function looksLikeDefinition(text: string): boolean {
  const has = (name: string): boolean => new RegExp(`^[ \\t]*["']?${name}["']?[ \\t]*:`, "m").test(text);
  return (
    has("sources") && has("sinks") && (has("name") || /^["']?apiVersion["']?[ \t]*:[ \t]*3\b/m.test(text))
  );
}

function partOf(tree: ObjectNode, name: string): TreeNode | undefined {
  const value = member(tree, name)?.value;
  return value?.kind === "object" || value?.kind === "array" || value?.kind === "null" ? value : undefined;
}

function nodesIn(part: TreeNode): readonly TreeNode[] {
  if (part.kind === "array") return part.items;
  return part.kind === "object" ? part.members.map(({ value }) => value) : [];
}

function hasOwnType(node: TreeNode): boolean {
  const type = member(node, "type")?.value;
  return type?.kind === "string" && Object.hasOwn(sourceShapes, type.value);
}
