import type { ts } from "ts-morph";
import { typescript } from "./typescript.js";

/** A free name and the members accessed on it. */
export interface MemberPath {
  readonly identifiers: readonly (ts.Identifier | ts.MemberName)[];
  /** Whether this path is the whole expression, apart from parentheses. */
  readonly isWhole: boolean;
  /** The call of the path, if it is called as a function. */
  readonly call: ts.CallExpression | undefined;
}

/** Follows `(a as T).b!.c` upwards from `a`, as far as `whole`. */
export function memberPath(root: ts.Identifier, whole: ts.Expression): MemberPath {
  const identifiers: MemberPath["identifiers"][number][] = [root];
  let top: ts.Expression = root;
  let isOnly = true;
  for (;;) {
    const { outer, isChosen } = climb(top, whole, passedOn);
    const access = outer === whole ? undefined : outer.parent;
    if (!access || !typescript.isPropertyAccessExpression(access) || access.expression !== outer) break;
    identifiers.push(access.name);
    isOnly &&= !isChosen;
    top = access;
  }
  const isWhole = isOnly && climb(top, whole, inParentheses).outer === whole;
  return { identifiers, isWhole, call: top === whole ? undefined : callAround(top) };
}

export function callAround(node: ts.Expression): ts.CallExpression | undefined {
  const { parent } = node;
  return typescript.isCallExpression(parent) && parent.expression === node ? parent : undefined;
}

/** Says whether an outer expression passes on the value of a part unchanged. */
type PassingOn = (part: ts.Node, outer: ts.Node) => "same" | "chosen" | undefined;

/** The outermost expression with a part's value, and whether it may have another part's value instead. */
function climb(
  part: ts.Expression,
  whole: ts.Expression,
  passing: PassingOn,
): { readonly outer: ts.Expression; readonly isChosen: boolean } {
  let outer = part;
  let isChosen = false;
  while (outer !== whole) {
    const how = passing(outer, outer.parent);
    if (!how) break;
    isChosen ||= how === "chosen";
    outer = outer.parent as ts.Expression;
  }
  return { outer, isChosen };
}

const inParentheses: PassingOn = (_, outer) =>
  typescript.isParenthesizedExpression(outer) ? "same" : undefined;

const passedOn: PassingOn = (part, outer) => {
  if (isWrapper(outer)) return "same";
  if (typescript.isConditionalExpression(outer)) return outer.condition === part ? undefined : "chosen";
  if (!typescript.isBinaryExpression(outer) || outer.right !== part) return undefined;
  return outer.operatorToken.kind === typescript.SyntaxKind.CommaToken ? "chosen" : undefined;
};

/** Whether a node only wraps an operand without changing its value: parentheses, casts and `!`. */
export function isWrapper(
  node: ts.Node,
): node is ts.ParenthesizedExpression | ts.NonNullExpression | ts.AsExpression | ts.TypeAssertion {
  return (
    typescript.isParenthesizedExpression(node) ||
    typescript.isNonNullExpression(node) ||
    typescript.isAsExpression(node) ||
    typescript.isTypeAssertionExpression(node)
  );
}

/** Strips the parentheses around an expression. */
export function withoutParentheses(node: ts.Expression): ts.Expression {
  return typescript.isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node;
}

/** The outermost parentheses around an expression, or the expression itself. */
export function withParentheses(node: ts.Expression): ts.Expression {
  return typescript.isParenthesizedExpression(node.parent) ? withParentheses(node.parent) : node;
}
