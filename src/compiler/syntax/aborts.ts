import type { ts } from "ts-morph";
import type { Abort, ExpressionSpan } from "./parsed-expression.js";
import { guards, mentions, pathOf } from "./paths.js";
import { typescript } from "./typescript.js";

/** The span of a node in the user's string. */
export type SpanOf = (node: ts.Node) => ExpressionSpan;

/** Finds the parts of an expression that may abort the handler, and whether the expression itself guards them. */
export function findAborts(node: ts.Node, span: SpanOf): readonly Abort[] {
  const found: Abort[] = [];
  const visit = (inner: ts.Node): void => {
    const path =
      typescript.isNonNullExpression(inner) || typescript.isElementAccessExpression(inner)
        ? pathOf(inner.expression)
        : "";
    if (path !== "" && typescript.isNonNullExpression(inner)) {
      const isGuarded = guards(inner, node).some((test) => mentions(test, [path, `${path}_reverted`]));
      found.push({ ...span(inner), kind: "null", path, isGuarded });
    } else if (path !== "" && typescript.isElementAccessExpression(inner)) {
      const { argumentExpression: index } = inner;
      const isGuarded = guards(inner, node).some((test) => mentions(test, [`${path}.length`]));
      const number = typescript.isNumericLiteral(index) ? { index: Number(index.text) } : {};
      found.push({ ...span(inner), kind: "element", path, ...number, isGuarded });
    }
    typescript.forEachChild(inner, visit);
  };
  visit(node);
  return found;
}
