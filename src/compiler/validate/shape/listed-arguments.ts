import type { Edit } from "../../diagnostics/diagnostic.js";
import type { TreeNode } from "../../source/tree.js";
import { itemsOf } from "./tree-access.js";

/** Maximum length of a shown text: a truncated one could not be copied. */
const maxShown = 200;

/** Call arguments in the form of a single string. */
export interface ListedArguments {
  readonly written: string;
  /** The edit that writes it, if the order of arguments is certain. */
  readonly edit?: Edit;
}

/**
 * A list of arguments, or an object of arguments by name, as one string; `undefined` if it is neither, or too long
 * for a hint.
 */
export function listedArguments(node: TreeNode): ListedArguments | undefined {
  const items = node.kind === "object" ? node.members.map(({ value }) => value) : itemsOf(node);
  const texts = items.flatMap((item) => (item.kind === "string" ? [item.value] : []));
  const value = texts.join(", ");
  const written = JSON.stringify(value);
  if (items.length === 0 || texts.length < items.length || written.length > maxShown) return undefined;
  const isCertain = node.kind === "array" && texts.every((text) => text.trim() !== "");
  return { written, ...(isCertain && { edit: { kind: "value", at: node.at, value } }) };
}
