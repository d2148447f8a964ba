import { abiFault } from "../sql/decoding.js";
import { allNodes, isNode, nodesIn, offsetOf, type SyntaxNode, textIn } from "../sql/syntax-tree.js";

/** An ABI in a query that cannot be read. */
export interface LiteralAbiFault {
  readonly message: string;
  /** Where the ABI begins, in bytes; -1 if the tree has no position. */
  readonly offset: number;
}

/** As with all functions, a prefix of two letters makes no difference. */
const decoders = /^(?:_[a-z]{2}_)?(?:evm_)?(?:log|tx)_decode$/i;

/**
 * Finds ABIs that a query contains as texts and that cannot be read. Without this, the first row would stop the sink.
 * @param tree as DuckDB serializes it
 */
export function literalAbiFaults(tree: unknown): readonly LiteralAbiFault[] {
  return [...allNodes(tree)].flatMap((node) => (node.class === "FUNCTION" ? (faultOf(node) ?? []) : []));
}

function faultOf(call: SyntaxNode): LiteralAbiFault | undefined {
  if (!decoders.test(textIn(call, "function_name"))) return undefined;
  const [abi] = nodesIn(call.children);
  const value = abi?.class === "CONSTANT" && isNode(abi.value) ? abi.value.value : undefined;
  const message = typeof value === "string" ? abiFault(value) : undefined;
  return message === undefined ? undefined : { message, offset: abi ? offsetOf(abi) : -1 };
}
