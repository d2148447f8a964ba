import type { ts } from "ts-morph";
import { isWrapper } from "./member-path.js";
import { typescript } from "./typescript.js";

/** The path `calls.x` of `calls.x`, `(calls.x!)` and `(calls as T).x`; empty for other expressions. */
export function pathOf(node: ts.Node): string {
  if (isWrapper(node)) return pathOf(node.expression);
  if (typescript.isIdentifier(node)) return node.text;
  if (!typescript.isPropertyAccessExpression(node)) return "";
  const object = pathOf(node.expression);
  return object === "" ? "" : `${object}.${node.name.text}`;
}

/** Whether a part of an expression reads any of the paths. */
export function mentions(node: ts.Node, paths: readonly string[]): boolean {
  return (
    paths.includes(pathOf(node)) || typescript.forEachChild(node, (child) => mentions(child, paths)) === true
  );
}

/** The conditions evaluated before a part of an expression. */
export function guards(part: ts.Node, whole: ts.Node): readonly ts.Node[] {
  const tests: ts.Node[] = [];
  for (let node = part; node !== whole; node = node.parent) {
    const { parent } = node;
    if (typescript.isConditionalExpression(parent) && parent.condition !== node) tests.push(parent.condition);
    else if (
      typescript.isBinaryExpression(parent) &&
      parent.right === node &&
      /^(?:&&|\|\|)$/.test(parent.operatorToken.getText())
    ) {
      tests.push(parent.left);
    } else if (typescript.isIfStatement(parent)) tests.push(parent.expression);
    else if (typescript.isBlock(parent))
      tests.push(...parent.statements.filter((one) => one.pos < node.pos && typescript.isIfStatement(one)));
    else if (typescript.isForStatement(parent) && parent.condition) tests.push(parent.condition);
  }
  return tests;
}
