import { ts } from "ts-morph";

const loose: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

/**
 * The operators of comparisons such as `x == null`. AssemblyScript's compiler crashes on these for some types, and
 * `===` means the same for all of them.
 */
export function looseNullTests(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (inner: ts.Node): void => {
    const isTest = ts.isBinaryExpression(inner) && loose.has(inner.operatorToken.kind);
    if (isTest && inner.right.kind === ts.SyntaxKind.NullKeyword) found.push(inner.operatorToken);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return found.sort((a, b) => a.getStart() - b.getStart());
}
