import { abiEntries, abiFault } from "../sql/decoding.js";
import { allNodes, isNode, nodesIn, offsetOf, type SyntaxNode, textIn } from "../sql/syntax-tree.js";

/** An ABI in a query that cannot be read. */
export interface LiteralAbiFault {
  readonly message: string;
  /** Where the ABI begins, in bytes; -1 if the tree has no position. */
  readonly offset: number;
}

/** As with all functions, a prefix of two letters makes no difference. */
const decoders = /^(?:_[a-z]{2}_)?(?:evm_)?(log|tx)_decode$/i;

/**
 * Finds ABIs that a query contains as texts and that cannot be read, or with which nothing can be decoded. Without this, the first row would stop the sink.
 * @param tree as DuckDB serializes it
 */
export function literalAbiFaults(tree: unknown): readonly LiteralAbiFault[] {
  return [...allNodes(tree)].flatMap((node) => (node.class === "FUNCTION" ? (faultOf(node) ?? []) : []));
}

function faultOf(call: SyntaxNode): LiteralAbiFault | undefined {
  const [, decoded] = decoders.exec(textIn(call, "function_name")) ?? [];
  if (decoded === undefined) return undefined;
  const [abi] = nodesIn(call.children);
  const value = abi?.class === "CONSTANT" && isNode(abi.value) ? abi.value.value : undefined;
  const message = typeof value === "string" ? (abiFault(value) ?? emptyAbi(value, decoded)) : undefined;
  return message === undefined ? undefined : { message, offset: abi ? offsetOf(abi) : -1 };
}

/** Why nothing can be decoded with an ABI that can be read; `undefined` if something can. */
function emptyAbi(abi: string, decoded: string): string | undefined {
  const type = decoded.toLowerCase() === "log" ? "event" : "function";
  const entries = abiEntries(abi);
  const has = entries.length === 0 || entries.some((entry) => "type" in entry && entry.type === type);
  return has ? undefined : `the ABI has no ${type}, so that nothing can be decoded`;
}
