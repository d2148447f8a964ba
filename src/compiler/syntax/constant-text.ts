import type { ts } from "ts-morph";
import { typescript } from "./typescript.js";

/**
 * The constant string value of an expression that consists of literals joined by `+` or in a template; `undefined`
 * for other expressions.
 */
export function constantText(node: ts.Expression): string | undefined {
  if (typescript.isParenthesizedExpression(node)) return constantText(node.expression);
  if (typescript.isStringLiteralLike(node)) return node.text;
  if (typescript.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) =>
      joined(constantText(expression), literal.text),
    );
    return spans.reduce(joined, node.head.text);
  }
  if (!typescript.isBinaryExpression(node) || node.operatorToken.kind !== typescript.SyntaxKind.PlusToken)
    return undefined;
  return joined(constantText(node.left), constantText(node.right));
}

function joined(left: string | undefined, right: string | undefined): string | undefined {
  return left === undefined || right === undefined ? undefined : left + right;
}
