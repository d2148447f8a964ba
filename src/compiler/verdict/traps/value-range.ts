import type { ts } from "ts-morph";
import { integerRange } from "../../abi/solidity-type.js";
import { withoutParentheses } from "../../syntax/member-path.js";
import { pathOf } from "../../syntax/paths.js";
import { typescript } from "../../syntax/typescript.js";
import { solidityOf } from "../solidity-of.js";
import type { TypedExpression } from "../typed-expression.js";
import { castOf, exactly, fits, type NumberRange, rangeOf, writtenNumber } from "./whole-numbers.js";

/** Numbers that stay below 2³¹ on every chain; times do until 2038. */
const belowThirtyOneBits =
  /^(?:event|call)\.(?:block\.(?:number|timestamp)|logIndex|transactionLogIndex|transaction\.index)$/;

/** The range of an integer of any type, derived from its parts; `undefined` if unknown. */
export function valueRange(node: ts.Expression, expression: TypedExpression): NumberRange | undefined {
  const bare = withoutParentheses(node);
  const value = writtenNumber(bare);
  if (value !== undefined) return { lowest: value, highest: value };
  if (belowThirtyOneBits.test(pathOf(bare))) return { lowest: 0n, highest: 2n ** 31n - 1n };
  const { handler } = expression;
  const declared = handler && solidityOf(bare, handler);
  const type = expression.typeOf(bare) ?? "";
  if (declared) return integerRange(declared) ?? (type === "bool" ? { lowest: 0n, highest: 1n } : undefined);
  return computedRange(bare, expression) ?? (type === "bool" ? { lowest: 0n, highest: 1n } : rangeOf(type));
}

function computedRange(bare: ts.Expression, expression: TypedExpression): NumberRange | undefined {
  if (typescript.isNonNullExpression(bare)) return valueRange(bare.expression, expression);
  if (typescript.isConditionalExpression(bare)) {
    const sides = [valueRange(bare.whenTrue, expression), valueRange(bare.whenFalse, expression)];
    return hull(sides);
  }
  const cast = castOf(bare);
  const target = cast && rangeOf(cast.type);
  if (cast && target) return ifInside(valueRange(cast.operand, expression), target) ?? target;
  const operation = operationOf(bare);
  if (!operation) return undefined;
  const { name, left, right } = operation;
  const own = valueRange(left, expression);
  const [, converted] = /^to([IU](?:32|64))$/.exec(name) ?? [];
  const into = rangeOf(converted?.toLowerCase() ?? "");
  if (into) return ifInside(own, into) ?? into;
  const other = right && valueRange(right, expression);
  const found = own && other && combined(name, own, other);
  const held = rangeOf(expression.typeOf(bare) ?? "");
  return held ? ifInside(found, held) : found;
}

const operators: Readonly<Record<string, string>> = {
  "+": "plus",
  "-": "minus",
  "*": "times",
  "/": "div",
  "%": "mod",
};

/** An operator, or a number's method: for a BigInt, both are the same. */
function operationOf(
  node: ts.Expression,
): { readonly name: string; readonly left: ts.Expression; readonly right?: ts.Expression } | undefined {
  if (typescript.isBinaryExpression(node)) {
    const name = operators[node.operatorToken.getText()];
    return name === undefined ? undefined : { name, left: node.left, right: node.right };
  }
  if (!typescript.isCallExpression(node) || !typescript.isPropertyAccessExpression(node.expression))
    return undefined;
  const { name, expression: left } = node.expression;
  const [right] = node.arguments;
  return { name: name.text, left, ...(right && { right }) };
}

function combined(name: string, a: NumberRange, b: NumberRange): NumberRange | undefined {
  const of = (...values: readonly bigint[]): NumberRange => ({
    lowest: values.reduce((least, value) => (value < least ? value : least)),
    highest: values.reduce((most, value) => (value > most ? value : most)),
  });
  switch (name) {
    case "plus":
      return of(a.lowest + b.lowest, a.highest + b.highest);
    case "minus":
      return of(a.lowest - b.highest, a.highest - b.lowest);
    case "times":
      return of(a.lowest * b.lowest, a.lowest * b.highest, a.highest * b.lowest, a.highest * b.highest);
    case "div":
      if (fits(0n, b)) return of(a.lowest, a.highest, -a.lowest, -a.highest);
      return of(a.lowest / b.lowest, a.lowest / b.highest, a.highest / b.lowest, a.highest / b.highest);
    case "mod": {
      const most = of(b.lowest, b.highest, -b.lowest, -b.highest).highest;
      return of(a.lowest < 0n ? -most : 0n, a.highest > 0n ? most : 0n);
    }
    default:
      return undefined;
  }
}

function hull([a, b]: readonly (NumberRange | undefined)[]): NumberRange | undefined {
  if (!a || !b) return undefined;
  return {
    lowest: a.lowest < b.lowest ? a.lowest : b.lowest,
    highest: a.highest > b.highest ? a.highest : b.highest,
  };
}

/** A range if it is inside another. */
function ifInside(inner: NumberRange | undefined, outer: NumberRange): NumberRange | undefined {
  return inner && isInside(inner, outer) ? inner : undefined;
}

/** Whether a range is inside another. */
export function isInside(inner: NumberRange, outer: NumberRange): boolean {
  return fits(inner.lowest, outer) && fits(inner.highest, outer);
}

/** Guesses for unknown numbers: from a BigInt, such as a time or an amount, and any others. */
const largeGuess = 2n ** 22n;
const smallGuess = 2n ** 8n;
/** Ranges up to this size are possible values rather than limits of a type. */
const largestKnown = 2n ** 24n;
/** Largest exponent or shift to estimate. */
const farthest = 512n;

/** Largest magnitude that arithmetic may reach; `undefined` for an operation that does not enlarge numbers. */
export function reach(node: ts.Expression, expression: TypedExpression): bigint | undefined {
  const bare = withoutParentheses(node);
  const value = exactly(bare);
  if (value !== undefined) return magnitude(value);
  if (typescript.isCallExpression(bare) && /\.to[IU](?:32|64)$/.test(bare.expression.getText()))
    return largeGuess;
  if (typescript.isIdentifier(bare)) {
    const initial = initialValue(bare, expression.root);
    return initial ? reach(initial, expression) : smallGuess;
  }
  if (!typescript.isBinaryExpression(bare)) {
    const cast = castOf(bare);
    if (cast && rangeOf(cast.type)) return reach(cast.operand, expression);
    const declared = expression.handler && solidityOf(bare, expression.handler);
    const range = declared && integerRange(declared);
    const most = range && (magnitude(range.lowest) > range.highest ? magnitude(range.lowest) : range.highest);
    return most === undefined ? smallGuess : most > largestKnown ? largeGuess : most;
  }
  const [left, right] = [reach(bare.left, expression), reach(bare.right, expression)];
  if (left === undefined || right === undefined) return undefined;
  const isFar = right > farthest;
  switch (bare.operatorToken.kind) {
    case typescript.SyntaxKind.PlusToken:
    case typescript.SyntaxKind.MinusToken:
    case typescript.SyntaxKind.PlusEqualsToken:
    case typescript.SyntaxKind.MinusEqualsToken:
      return left + right;
    case typescript.SyntaxKind.AsteriskToken:
    case typescript.SyntaxKind.AsteriskEqualsToken:
      return left * right;
    case typescript.SyntaxKind.AsteriskAsteriskToken:
      return left < 2n ? left : left ** (isFar ? farthest : right);
    case typescript.SyntaxKind.LessThanLessThanToken:
      return left << (isFar ? farthest : right);
    default:
      return undefined;
  }
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The initializer of a variable, or the argument for a parameter of an immediately called function. */
function initialValue(name: ts.Identifier, root: ts.Node): ts.Expression | undefined {
  for (let scope: ts.Node = name; scope !== root; scope = scope.parent) {
    const { parent } = scope;
    if (typescript.isArrowFunction(parent)) {
      const at = parent.parameters.findIndex((one) => one.name.getText() === name.text);
      const outer = parent.parent.parent;
      if (at >= 0) return typescript.isCallExpression(outer) ? outer.arguments[at] : undefined;
    }
    if (!typescript.isBlock(parent)) continue;
    const declared = parent.statements
      .flatMap((one) => (typescript.isVariableStatement(one) ? one.declarationList.declarations : []))
      .find((one) => one.name.getText() === name.text && one.end < name.pos);
    if (declared) return declared.initializer;
  }
  return undefined;
}
