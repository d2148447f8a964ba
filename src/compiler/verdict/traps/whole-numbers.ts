import type { ts } from "ts-morph";
import { withoutParentheses } from "../../syntax/member-path.js";
import { pathOf } from "../../syntax/paths.js";
import { typescript } from "../../syntax/typescript.js";

/** The range of a numeric type. */
export interface NumberRange {
  readonly lowest: bigint;
  readonly highest: bigint;
}

/** The range of an AssemblyScript type: `i32`, `u8`. */
export function rangeOf(type: string): NumberRange | undefined {
  const [, sign, digits] = /^([iu])(8|16|32|64)$/.exec(type) ?? [];
  if (sign === undefined || digits === undefined) return undefined;
  const bits = BigInt(digits);
  return sign === "i"
    ? { lowest: -(2n ** (bits - 1n)), highest: 2n ** (bits - 1n) - 1n }
    : { lowest: 0n, highest: 2n ** bits - 1n };
}

/** Whether a number is within a range. */
export function fits(value: bigint, { lowest, highest }: NumberRange): boolean {
  return value >= lowest && value <= highest;
}

/** Limit of shifts that are evaluated. */
const farthest = 512n;

type Arithmetic = (left: bigint, right: bigint) => bigint | undefined;

const arithmetic: ReadonlyMap<ts.SyntaxKind, Arithmetic> = new Map<ts.SyntaxKind, Arithmetic>([
  [typescript.SyntaxKind.PlusToken, (left, right) => left + right],
  [typescript.SyntaxKind.MinusToken, (left, right) => left - right],
  [typescript.SyntaxKind.AsteriskToken, (left, right) => left * right],
  [typescript.SyntaxKind.SlashToken, (left, right) => (right === 0n ? undefined : left / right)],
  [
    typescript.SyntaxKind.LessThanLessThanToken,
    (left, right) => (right < 0n || right > farthest ? undefined : left << right),
  ],
]);

/** Evaluates constant integer arithmetic with unlimited precision. */
export function exactly(node: ts.Expression): bigint | undefined {
  return computed(node, arithmetic);
}

/** Evaluates constant integer arithmetic as 32 bits: it wraps around, and shifts count modulo 32. */
export function inThirtyTwoBits(node: ts.Expression): bigint | undefined {
  const shift: Arithmetic = (left, right) => left << BigInt.asUintN(5, right);
  const wrapping = new Map(arithmetic).set(typescript.SyntaxKind.LessThanLessThanToken, shift);
  return computed(node, wrapping, (value) => BigInt.asIntN(32, value));
}

function computed(
  node: ts.Expression,
  operators: ReadonlyMap<ts.SyntaxKind, Arithmetic>,
  cut = (value: bigint): bigint => value,
): bigint | undefined {
  const bare = withoutParentheses(node);
  if (typescript.isNumericLiteral(bare)) {
    const digits = bare.getText().replaceAll("_", "");
    return /^(?:\d+|0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/.test(digits) ? cut(BigInt(digits)) : undefined;
  }
  if (typescript.isPrefixUnaryExpression(bare) && bare.operator === typescript.SyntaxKind.MinusToken) {
    const value = computed(bare.operand, operators, cut);
    return value === undefined ? undefined : cut(-value);
  }
  if (!typescript.isBinaryExpression(bare)) return undefined;
  const left = computed(bare.left, operators, cut);
  const right = computed(bare.right, operators, cut);
  if (left === undefined || right === undefined) return undefined;
  const value = operators.get(bare.operatorToken.kind)?.(left, right);
  return value === undefined ? undefined : cut(value);
}

/** The constant value of an expression, also of a BigInt; `undefined` where it overflows on the way. */
export function writtenNumber(node: ts.Expression): bigint | undefined {
  const bare = withoutParentheses(node);
  if (!typescript.isCallExpression(bare)) return exactly(bare);
  const [argument] = bare.arguments;
  const [, type, maker] = /^(BigInt)\.from(I32|U32|I64|U64|String)$/.exec(pathOf(bare.expression)) ?? [];
  if (!argument || !type || !maker) return undefined;
  if (maker === "String") {
    return typescript.isStringLiteral(argument) && /^-?\d+$/.test(argument.text)
      ? BigInt(argument.text)
      : undefined;
  }
  const value = exactly(argument);
  const range = rangeOf(maker.toLowerCase());
  return value !== undefined && range && fits(value, range) ? value : undefined;
}

/**
 * Guesses of how large an unknown number may be: one that came from a BigInt, such as a time or an amount,
 * and any other.
 */
const largeGuess = 2n ** 22n;
const smallGuess = 2n ** 8n;

/** Largest magnitude that arithmetic may reach; `undefined` for an operation that does not enlarge numbers. */
export function reach(node: ts.Expression): bigint | undefined {
  const bare = withoutParentheses(node);
  const value = exactly(bare);
  if (value !== undefined) return value < 0n ? -value : value;
  if (typescript.isCallExpression(bare) && /\.toI32$/.test(bare.expression.getText())) return largeGuess;
  if (!typescript.isBinaryExpression(bare)) return smallGuess;
  const [left, right] = [reach(bare.left), reach(bare.right)];
  if (left === undefined || right === undefined) return undefined;
  switch (bare.operatorToken.kind) {
    case typescript.SyntaxKind.PlusToken:
    case typescript.SyntaxKind.MinusToken:
      return left + right;
    case typescript.SyntaxKind.AsteriskToken:
      return left * right;
    case typescript.SyntaxKind.LessThanLessThanToken:
      return exactly(bare.right) === undefined || right > farthest ? undefined : left << right;
    default:
      return undefined;
  }
}
