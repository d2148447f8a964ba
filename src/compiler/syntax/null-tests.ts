import type { ts } from "ts-morph";
import { withoutParentheses } from "./member-path.js";
import { typescript } from "./typescript.js";

const loose: ReadonlySet<ts.SyntaxKind> = new Set([
  typescript.SyntaxKind.EqualsEqualsToken,
  typescript.SyntaxKind.ExclamationEqualsToken,
]);

/**
 * Finds the operators of comparisons such as `x == null`. For some types, AssemblyScript's compiler crashes
 * on these; `===` means the same for all types.
 */
export function looseNullTests(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (inner: ts.Node): void => {
    const isTest = typescript.isBinaryExpression(inner) && loose.has(inner.operatorToken.kind);
    if (isTest && withoutParentheses(inner.right).kind === typescript.SyntaxKind.NullKeyword)
      found.push(inner.operatorToken);
    typescript.forEachChild(inner, visit);
  };
  visit(node);
  return found.sort((a, b) => a.getStart() - b.getStart());
}
