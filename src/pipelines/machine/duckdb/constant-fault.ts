import { withExactCasts } from "../../sql/exact-casts.js";
import { selectNode } from "../../sql/made-nodes.js";
import { firstOffset, isNode, nodesIn, type SyntaxNode, syntaxNodes, textIn } from "../../sql/syntax-tree.js";
import { type Ask, rewriteQuery } from "./rewrite-query.js";

/** A part of a query that has no value, whatever the row is. */
export interface ConstantFault {
  readonly error: Error;
  /** In bytes of the query; -1 if it is not known. */
  readonly offset: number;
}

/**
 * Computes what a query computes from constants alone, such as `'abc'::INTEGER`. DuckDB would find at the first row
 * that it cannot, or only at the first one that passes a condition.
 * @param compute runs a query for a short time
 * @returns `undefined` if all constants have values
 */
export async function constantFault(
  query: string,
  ask: Ask,
  compute: (sql: string) => Promise<unknown>,
): Promise<ConstantFault | undefined> {
  const found: SyntaxNode[] = [];
  const all = await rewriteQuery(query, (tree) => selecting(tree, found), ask);
  if (found.length === 0 || (all !== undefined && !(await failureOf(all, compute)))) return undefined;
  for (const part of found) {
    const one = await rewriteQuery(query, (tree) => selecting(tree, [], part), ask);
    const error = one === undefined ? undefined : await failureOf(one, compute);
    if (error) return { error, offset: firstOffset(part, part) };
  }
  return undefined;
}

/** What is wrong with values. Mistakes of other kinds come of taking a part out of its query. */
const ofValues = /^(?:Conversion|Invalid Input|Out of Range|Not implemented|Syntax) Error/;

async function failureOf(
  sql: string,
  compute: (sql: string) => Promise<unknown>,
): Promise<Error | undefined> {
  try {
    await compute(sql);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return ofValues.test(error.message) ? error : undefined;
  }
}

/**
 * The tree of a query for constant parts of a query; `undefined` without any.
 * @param found gets the parts as they were written
 * @param only the only part to compute
 */
function selecting(tree: unknown, found: SyntaxNode[], only?: SyntaxNode): unknown {
  const [statement] = isNode(tree) ? nodesIn(tree.statements) : [];
  for (const part of constantParts(statement?.node)) found.push(part);
  const parts = only ? [only] : found;
  if (!isNode(tree) || !statement || parts.length === 0) return undefined;
  const select_list = parts.map((part) => withExactCasts(part) ?? part);
  return {
    ...tree,
    statements: [{ ...statement, node: selectNode(select_list, { type: "EMPTY", alias: "", sample: null }) }],
  };
}

/** What depends on rows, on other parts of the query, or on how it is called. */
const notConstant: ReadonlySet<unknown> = new Set([
  "COLUMN_REF",
  "SUBQUERY",
  "STAR",
  "WINDOW",
  "LAMBDA",
  "LAMBDA_REF",
  "PARAMETER",
  "POSITIONAL_REFERENCE",
  "DEFAULT",
]);
const computed: ReadonlySet<unknown> = new Set([
  "CAST",
  "FUNCTION",
  "OPERATOR",
  "COMPARISON",
  "BETWEEN",
  "CASE",
]);

/** The largest parts that are computed from constants alone, without what TRY gives null for. */
function* constantParts(part: unknown): Generator<SyntaxNode> {
  if (Array.isArray(part)) for (const item of part) yield* constantParts(item);
  if (!isNode(part) || part.type === "OPERATOR_TRY") return;
  if (computed.has(part.class) && isConstant(part)) yield part;
  else if (escapes.test(textIn(part, "function_name"))) yield* patternOf(part);
  // A table function is none of an expression, but its arguments are.
  else if (part.type === "TABLE_FUNCTION")
    yield* constantParts(isNode(part.function) ? part.function.children : []);
  else for (const value of Object.values(part)) yield* constantParts(value);
}

const escapes = /like_escape$/;

/** A comparison of a pattern with itself, which reads the whole pattern. A value may differ before the pattern's end. */
function* patternOf(part: SyntaxNode): Generator<SyntaxNode> {
  const [value, pattern, mark] = nodesIn(part.children);
  if (pattern && mark && [pattern, mark].every(isConstant))
    yield { ...part, children: [pattern, pattern, mark] };
  yield* constantParts([value, pattern, mark]);
}

function isConstant(part: SyntaxNode): boolean {
  for (const node of syntaxNodes(part)) if (notConstant.has(node.class)) return false;
  return true;
}
