import { call, constant } from "./made-nodes.js";
import { changedTree, isNode, nodesIn, type SyntaxNode, textIn } from "./syntax-tree.js";

/** Another reading of a query that DuckDB refuses, as the engine means it for which the query was written. */
export interface SecondReading {
  /** DuckDB's words when it refuses the query. */
  readonly words: RegExp;
  /** @returns the changed tree; `undefined` if the query has nothing of the kind */
  readonly change: (tree: unknown) => unknown;
}

/** Each applies to queries that have no other meaning, so that no query changes its result. */
export const secondReadings: readonly SecondReading[] = [
  {
    // Elsewhere, a decoded log has the columns of its log as a row. Here, they are columns beside the others.
    words: /(?:table|column|column named) "raw_log"/i,
    change: (tree) => changedTree(tree, withoutRawLog),
  },
  {
    words: /cardinality can only operate on maps/i,
    change: (tree) => changedTree(tree, (node) => renamed(node, "cardinality", "len")),
  },
  {
    words: /'(?:_[a-z]{2}_)?(?:evm_)?log_decode\([^']*\[\][^']*'/i,
    change: (tree) => changedTree(tree, joinedTopics),
  },
];

function withoutRawLog(node: SyntaxNode): SyntaxNode | undefined {
  if (node.class !== "COLUMN_REF" || !Array.isArray(node.column_names)) return undefined;
  const names: readonly unknown[] = node.column_names;
  const at = names.findIndex((name) => String(name).toLowerCase() === "raw_log");
  const isPrefix = at !== -1 && at < names.length - 1;
  return isPrefix ? { ...node, column_names: names.filter((_, index) => index !== at) } : undefined;
}

function renamed(node: SyntaxNode, from: string, to: string): SyntaxNode | undefined {
  const isIt = node.class === "FUNCTION" && textIn(node, "function_name").toLowerCase() === from;
  return isIt ? { ...node, function_name: to } : undefined;
}

/** A call with the topics as one text. They are a list where a query splits or lists them. */
function joinedTopics(node: SyntaxNode): SyntaxNode | undefined {
  const name = textIn(node, "function_name");
  if (node.class !== "FUNCTION" || !/^(?:_[a-z]{2}_)?(?:evm_)?log_decode$/i.test(name)) return undefined;
  const [abi, topics, ...others] = nodesIn(node.children);
  if (!topics) return undefined;
  const joined = call("array_to_string", [topics, constant("VARCHAR", ",")]);
  return isNode(abi) ? { ...node, children: [abi, joined, ...others] } : undefined;
}
