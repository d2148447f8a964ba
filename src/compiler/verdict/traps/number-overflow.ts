import type { ts } from "ts-morph";
import { withoutParentheses, withParentheses } from "../../syntax/member-path.js";
import { guards, pathOf } from "../../syntax/paths.js";
import { typescript } from "../../syntax/typescript.js";
import type { TypedExpression } from "../typed-expression.js";
import { asBigInt, inBigInt, isMaker, makerAround, makerOf } from "./in-big-int.js";
import { outOfBounds } from "./out-of-bounds.js";
import type { Trap, TrapRule } from "./trap.js";
import { isInside, reach, valueRange } from "./value-range.js";
import { castOf, exactly, fits, inType, type NumberRange, rangeOf, wrapped } from "./whole-numbers.js";

const { SyntaxKind } = typescript;

/** Arithmetic on plain numbers: it wraps around, and division truncates. */
export const numberOverflow: TrapRule = (node, expression) => {
  if (typescript.isCallExpression(node) && isMaker(node)) return tooLargeForBigInt(node, expression);
  if (!typescript.isExpression(node) || typescript.isParenthesizedExpression(node)) return undefined;
  if (isPartOfConstant(node)) return undefined;
  const type = operatedType(node, expression);
  if (!rangeOf(type)) return undefined;
  const found =
    tooLarge(node, type, expression) ??
    negated(node, type, expression) ??
    unsignedResult(node, type, expression);
  if (found || !typescript.isBinaryExpression(node)) return found;
  return (
    toNegativePower(node, expression) ??
    perhapsTooLarge(node, type, expression) ??
    shiftedTooFar(node, expression) ??
    dropsRest(node)
  );
};

/** The type in which an operation computes; for `x *= 2`, the type of `x`. */
function operatedType(node: ts.Expression, expression: TypedExpression): string {
  const isAssignment =
    typescript.isBinaryExpression(node) &&
    /^(?:[-+*/%&|^]|\*\*|<<|>>>?)=$/.test(node.operatorToken.getText());
  return expression.typeOf(isAssignment ? node.left : node) ?? "";
}

/** A whole expression that is a `u32`: fields and arguments treat it as an `i32`. */
function unsignedResult(node: ts.Expression, type: string, expression: TypedExpression): Trap | undefined {
  if (type !== "u32" || node !== withoutParentheses(expression.root)) return undefined;
  // Operands of mixed signedness are a separate trap.
  if (
    typescript.isBinaryExpression(node) &&
    hasSign(node.left, expression) !== hasSign(node.right, expression)
  )
    return undefined;
  const range = rangeOf("i32");
  const found = valueRange(node, expression);
  if (!range || (found && isInside(found, range)) || outOfBounds(node, expression)) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "is a number of type u32",
    label: `stored as an i32: a number above ${range.highest} becomes negative`,
    hint: `declare a larger type and make a BigInt: BigInt.fromU32(${node.getText()})`,
  };
}

function hasSign(node: ts.Expression, expression: TypedExpression): boolean {
  return expression.typeOf(node)?.startsWith("i") === true;
}

function tooLarge(node: ts.Expression, type: string, expression: TypedExpression): Trap | undefined {
  // A cast's effect on its operand is a separate trap.
  if (integerCast(node)) return undefined;
  const value = exactly(node);
  const actual = value === undefined ? undefined : inType(node, type);
  if (value === undefined || actual === value) return undefined;
  const isOperation = typescript.isBinaryExpression(node);
  const maker = makerAround(node);
  // A signed number with the same bits, which becomes unsigned again.
  if (maker && actual !== undefined && wrapped(actual, madeFrom(maker)) === value) return undefined;
  // A literal's conversion at its destination is a separate trap.
  if (!isOperation && (maker || outOfBounds(node, expression))) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: isOperation ? "computes a number that is too large" : "has a number that is too large",
    label: `is ${actual ?? "truncated"}: ${widthOf(type)}`,
    ...inBigInt(node, expression),
  };
}

function widthOf(type: string): string {
  return type === "i32" ? "plain numbers have 32 bits" : `a number of type ${type} has ${type.slice(1)} bits`;
}

/** `2 ** -1`. */
function toNegativePower(node: ts.BinaryExpression, expression: TypedExpression): Trap | undefined {
  const exponent = exactly(node.right);
  if (
    node.operatorToken.kind !== SyntaxKind.AsteriskAsteriskToken ||
    exponent === undefined ||
    exponent >= 0n
  )
    return undefined;
  const actual = inType(node, expression.typeOf(node) ?? "i32");
  return {
    code: "number-overflow",
    node,
    fact: "raises a plain number to a negative power",
    label: `is ${actual ?? "0"}: plain numbers have no fraction`,
    hint: `compute with BigDecimal: BigDecimal.fromString("1").div(…)`,
  };
}

/** `-x` for an unsigned number. */
function negated(node: ts.Expression, type: string, expression: TypedExpression): Trap | undefined {
  if (!typescript.isPrefixUnaryExpression(node) || node.operator !== SyntaxKind.MinusToken) return undefined;
  if (!type.startsWith("u") || exactly(node) !== undefined) return undefined;
  const text = asBigInt(node.operand, expression);
  return {
    code: "number-overflow",
    node,
    fact: `negates a ${type}`,
    label: `a ${type} has no negative numbers: the result is a large one`,
    hint: text === undefined ? "compute with BigInt" : `compute with BigInt: ${text}.neg()`,
  };
}

/** `amount.toI32() * 1000000`: the innermost operation on unknown operands that may overflow. */
function perhapsTooLarge(
  node: ts.BinaryExpression,
  type: string,
  expression: TypedExpression,
): Trap | undefined {
  const range = rangeOf(type);
  if (!range || exactly(node) !== undefined) return undefined;
  const isLarge = (part: ts.Expression): boolean => (reach(part, expression) ?? 0n) > range.highest;
  const isBelowZero = type.startsWith("u") && node.operatorToken.kind === SyntaxKind.MinusToken;
  if (!isBelowZero && (!isLarge(node) || isLarge(node.left) || isLarge(node.right))) return undefined;
  const known = valueRange(node, expression);
  if (isBelowZero && known && known.lowest >= 0n && isInside(known, range) && !isWholeType(known, type))
    return undefined;
  if (isBelowZero && guards(node, expression.root).length > 0) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: isBelowZero ? `can compute a number below zero` : "can compute a number that is too large",
    label: isBelowZero
      ? `wraps around to ${range.highest} below 0: a ${type} has no negative numbers`
      : `wraps around to ${range.lowest} above ${range.highest}: ${widthOf(type)}`,
    ...inBigInt(node, expression),
  };
}

function isWholeType({ lowest, highest }: { lowest: bigint; highest: bigint }, type: string): boolean {
  const range = rangeOf(type);
  return range?.lowest === lowest && range.highest === highest;
}

/** `x >> bits`, where `bits` can be more than the width of the number. */
function shiftedTooFar(node: ts.BinaryExpression, expression: TypedExpression): Trap | undefined {
  if (!/^>>>?$/.test(node.operatorToken.getText()) || exactly(node) !== undefined) return undefined;
  const type = expression.typeOf(node) ?? "i32";
  const width = BigInt(type.slice(1));
  const count = valueRange(node.right, expression);
  if (count && fits(count.lowest, { lowest: 0n, highest: width - 1n }) && count.highest < width)
    return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "can shift too far",
    label: `counts modulo ${width}: a shift by ${width} changes nothing`,
    ...inBigInt(node, expression),
  };
}

function dropsRest(node: ts.BinaryExpression): Trap | undefined {
  const isDivision = node.operatorToken.kind === SyntaxKind.SlashToken;
  const [left, right] = [exactly(node.left), exactly(node.right)];
  if (!isDivision || left === undefined || !right || left % right === 0n) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "divides plain numbers, which drops the remainder",
    label: `is ${left / right}`,
    hint: "compute with BigDecimal, or with 5.0 instead of 5",
  };
}

/** `BigInt.fromI32(3000000000)` is negative. */
function tooLargeForBigInt(node: ts.CallExpression, expression: TypedExpression): Trap | undefined {
  const [argument] = node.arguments;
  if (!argument) return undefined;
  const type = madeFrom(node);
  const range = rangeOf(type);
  const value = exactly(argument);
  if (!range) return undefined;
  if (value === undefined) return otherSign(node, argument, type, expression);
  // Overflowing arithmetic is reported itself.
  const own = expression.typeOf(argument) ?? type;
  const isOperation = typescript.isBinaryExpression(withoutParentheses(argument));
  if (isOperation && rangeOf(own) && inType(argument, own) !== value) return undefined;
  if (fits(value, range) || castOf(withoutParentheses(argument))) return undefined;
  const isSigned = type.startsWith("i");
  const text = `BigInt.fromString("${value}")`;
  const bits = Number(type.slice(1)) - (isSigned ? 1 : 0);
  const why = value < 0n && !isSigned ? "it has a sign" : `it has more than ${bits} bits`;
  return {
    code: "number-overflow",
    node: argument,
    fact: "makes a BigInt from a number that is too large",
    label: `becomes ${wrapped(value, type)}: ${why}`,
    hint: `write ${text}`,
    fix: [expression.replace(node, text)],
  };
}

/** The number type that `BigInt.fromI32` and the like take. */
function madeFrom(maker: ts.CallExpression): string {
  return pathOf(maker.expression).slice("BigInt.from".length).toLowerCase();
}

/** `BigInt.fromU32(event.params.tick)`: a signed number as an unsigned one, or vice versa. */
function otherSign(
  node: ts.CallExpression,
  argument: ts.Expression,
  type: string,
  expression: TypedExpression,
): Trap | undefined {
  const given = expression.typeOf(argument) ?? "";
  const range = rangeOf(type);
  const found = valueRange(argument, expression) ?? rangeOf(given);
  const maker = makerOf(given);
  if (!range || !found || !maker || isInside(found, range) || maker === pathOf(node.expression))
    return undefined;
  const text = `${maker}(${argument.getText()})`;
  return {
    code: "number-overflow",
    node: argument,
    fact: `makes a BigInt from a number of another sign`,
    label:
      found.lowest < range.lowest
        ? "a negative number becomes a large one"
        : `a number above ${range.highest} becomes negative`,
    hint: `write ${text}`,
    fix: [expression.replace(node, text)],
  };
}

/** Whether the enclosing expression is also constant, and is reported instead. */
function isPartOfConstant(node: ts.Expression): boolean {
  const outer = withParentheses(node).parent;
  const value = exactly(node);
  const cast = integerCast(outer);
  if (cast) return value !== undefined && !fits(value, cast);
  return (
    (typescript.isBinaryExpression(outer) || typescript.isPrefixUnaryExpression(outer)) &&
    exactly(outer) !== undefined
  );
}

/** The range of the integer type to which a node casts. */
function integerCast(node: ts.Node): NumberRange | undefined {
  return rangeOf(castOf(node)?.type ?? "");
}
