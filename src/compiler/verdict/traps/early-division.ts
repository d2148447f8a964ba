import type { ts } from "ts-morph";
import { withoutParentheses } from "../../syntax/member-path.js";
import { pathOf } from "../../syntax/paths.js";
import { typescript } from "../../syntax/typescript.js";
import { primary, type TypedExpression } from "../typed-expression.js";
import type { TrapRule } from "./trap.js";
import { castOf, exactly, rangeOf } from "./whole-numbers.js";

/** `(a / b).toBigDecimal()`: a quotient of integers loses its fraction before it becomes a decimal. */
export const earlyDivision: TrapRule = (node, expression) => {
  const converted = toDecimal(node, expression);
  const quotient = converted && quotientOf(converted, expression);
  if (!quotient) return undefined;
  const { left, right, isBig } = quotient;
  const trap = {
    code: "number-overflow",
    node: withoutParentheses(converted),
    fact: "divides integers before it makes a decimal",
    label: "drops the remainder",
  } as const;
  if (!isBig) {
    const text = `(${primary(left)} as f64) / ${right.getText()}`;
    return { ...trap, hint: `convert before dividing: ${text}` };
  }
  const text = `${primary(left)}.toBigDecimal().div(${primary(right)}.toBigDecimal())`;
  const isMethod = typescript.isCallExpression(node) && !/fromString$/.test(pathOf(node.expression));
  return { ...trap, hint: `write ${text}`, ...(isMethod && { fix: [expression.replace(node, text)] }) };
};

/** The part that a node converts to a decimal or a float. */
function toDecimal(node: ts.Node, expression: TypedExpression): ts.Expression | undefined {
  const cast = castOf(node);
  if (cast && /^f(?:32|64)$/.test(cast.type)) return cast.operand;
  if (typescript.isBinaryExpression(node) && /^[-+*/]$/.test(node.operatorToken.getText())) {
    const isFloat = (part: ts.Expression): boolean => /^f(?:32|64)$/.test(expression.typeOf(part) ?? "");
    if (isFloat(node.right) && !isFloat(node.left)) return node.left;
    return isFloat(node.left) && !isFloat(node.right) ? node.right : undefined;
  }
  if (!typescript.isCallExpression(node)) return undefined;
  const object = objectOf(node, "toBigDecimal");
  if (object) return object;
  const [text] = node.arguments;
  if (pathOf(node.expression) !== "BigDecimal.fromString" || !text || !typescript.isCallExpression(text))
    return undefined;
  return objectOf(text, "toString");
}

function objectOf({ expression }: ts.CallExpression, method: string): ts.Expression | undefined {
  if (!typescript.isPropertyAccessExpression(expression) || expression.name.text !== method) return undefined;
  return expression.expression;
}

/** A division of integers that is not constant; the remainder of a constant one is a separate trap. */
function quotientOf(
  node: ts.Expression,
  expression: TypedExpression,
): { readonly left: ts.Expression; readonly right: ts.Expression; readonly isBig: boolean } | undefined {
  const bare = withoutParentheses(node);
  const type = expression.typeOf(bare) ?? "";
  const isBig = type === "BigInt";
  if (!isBig && !rangeOf(type)) return undefined;
  if (exactly(bare) !== undefined) return undefined;
  if (typescript.isBinaryExpression(bare)) {
    return bare.operatorToken.kind === typescript.SyntaxKind.SlashToken
      ? { left: bare.left, right: bare.right, isBig }
      : undefined;
  }
  const left = typescript.isCallExpression(bare) ? objectOf(bare, "div") : undefined;
  const right = typescript.isCallExpression(bare) ? bare.arguments[0] : undefined;
  return left && right && { left, right, isBig };
}
