import type { ts } from "ts-morph";
import { withoutParentheses } from "../../syntax/member-path.js";
import { guards, mentions, pathOf } from "../../syntax/paths.js";
import { typescript } from "../../syntax/typescript.js";
import { primary, type TypedExpression } from "../typed-expression.js";
import { asBigInt } from "./in-big-int.js";
import type { Trap, TrapRule } from "./trap.js";
import { isInside, valueRange } from "./value-range.js";
import { castOf, exactly, fits, type NumberRange, rangeOf, wrapped } from "./whole-numbers.js";

/** Conversions of a number to a type that cannot hold all of its values, and operands of mixed signedness. */
export const narrowing: TrapRule = (node, expression) => {
  if (typescript.isBinaryExpression(node)) return mixedSigns(node, expression);
  return (
    narrowed(node, expression) ??
    fromBigInt(node, expression) ??
    parsed(node) ??
    inexactLiteral(node, expression)
  );
};

/** `x as u8`. */
function narrowed(node: ts.Node, expression: TypedExpression): Trap | undefined {
  const cast = castOf(node);
  if (!cast || !typescript.isExpression(node)) return undefined;
  const { type, operand } = cast;
  const from = expression.typeOf(operand) ?? "";
  if (/^f(?:32|64)$/.test(type)) return rounded(node, type, operand, from, expression);
  const range = rangeOf(type);
  if (!range) return undefined;
  if (/^f(?:32|64)$/.test(from)) return dropsFraction(node, type, operand);
  const value = exactly(operand);
  if (value !== undefined) {
    if (fits(value, range)) return undefined;
    return {
      code: "number-overflow",
      node,
      fact: `casts a number that does not fit into ${type}`,
      label: `is ${wrapped(value, type)}: ${type} holds ${range.lowest} to ${range.highest}`,
      hint: `compute with BigInt: ${asBigInt(operand, expression) ?? `BigInt.fromString("${value}")`}`,
    };
  }
  const found = valueRange(operand, expression) ?? rangeOf(from);
  if (!found || isInside(found, range) || isTested(operand, node, expression)) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: `casts ${from === "" ? "a number" : `a number of type ${from}`} to ${type}`,
    label: `is another number outside of ${range.lowest} to ${range.highest}`,
    hint: `test the range first: ${test(operand, found, range)} ? ${node.getText()} : …`,
  };
}

/** The condition under which a number is within a range. */
function test(operand: ts.Expression, found: NumberRange, { lowest, highest }: NumberRange): string {
  const text = primary(operand);
  const tests = [
    ...(found.lowest < lowest ? [`${text} >= ${lowest}`] : []),
    ...(found.highest > highest ? [`${text} <= ${highest}`] : []),
  ];
  return tests.join(" && ");
}

/** Whether a condition around a conversion mentions the converted value. */
function isTested(operand: ts.Expression, node: ts.Node, { root }: TypedExpression): boolean {
  const bare = withoutParentheses(operand);
  const path = pathOf(bare);
  const text = bare.getText();
  return guards(node, root).some((guard) =>
    path === "" ? guard.getText().includes(text) : mentions(guard, [path]),
  );
}

const integers: Readonly<Record<string, bigint>> = { f32: 2n ** 24n, f64: 2n ** 53n };

/** A large integer, rounded as a float. */
function rounded(
  node: ts.Node,
  type: string,
  operand: ts.Expression,
  from: string,
  expression: TypedExpression,
): Trap | undefined {
  const highest = integers[type] ?? 0n;
  const value = exactly(operand);
  if (value !== undefined) {
    const held = type === "f32" ? Math.fround(Number(value)) : Number(value);
    if (BigInt(held) === value) return undefined;
  } else {
    const found = from === "f64" ? undefined : (valueRange(operand, expression) ?? rangeOf(from));
    const isNarrower = from === "f64" && type === "f32";
    if (!isNarrower && (!found || isInside(found, { lowest: -highest, highest }))) return undefined;
  }
  return {
    code: "number-overflow",
    node,
    fact: `casts a number to ${type}, which rounds it`,
    label: `exact only up to ${highest}`,
    hint: "compute with BigDecimal",
  };
}

/** `9007199254740993.0`. */
function inexactLiteral(node: ts.Node, expression: TypedExpression): Trap | undefined {
  if (!typescript.isNumericLiteral(node)) return undefined;
  const type = expression.typeOf(node) ?? "";
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d*))?$/.exec(node.getText().replaceAll("_", "")) ?? [];
  if (!/^f(?:32|64)$/.test(type) || whole === "") return undefined;
  const held = type === "f32" ? Math.fround(Number(whole)) : Number(whole);
  const digits = `${whole}${fraction.replace(/0+$/, "")}`.replace(/^0+/, "").length;
  if (BigInt(held) === BigInt(whole) && digits <= (type === "f32" ? 8 : 17)) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "has a number that is too long",
    label: `rounded: ${type} has ${type === "f32" ? 7 : 16} digits`,
    hint: `write BigDecimal.fromString("${node.getText()}")`,
  };
}

/** `1.9 as i32`. Rounding functions make their effect clear by name. */
function dropsFraction(node: ts.Node, type: string, operand: ts.Expression): Trap | undefined {
  const bare = withoutParentheses(operand);
  if (
    typescript.isCallExpression(bare) &&
    /^(?:Math|NativeMath)\.(?:floor|ceil|round|trunc|pow)$/.test(pathOf(bare.expression))
  )
    return undefined;
  if (typescript.isCallExpression(bare) && /^parse(?:Int|Float)$/.test(pathOf(bare.expression)))
    return undefined;
  const value = typescript.isNumericLiteral(bare) ? Number(bare.text) : undefined;
  if (value !== undefined && Number.isInteger(value)) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: `casts a number with a fraction to ${type}`,
    label: value === undefined ? "drops the fraction" : `is ${Math.trunc(value)}: a cast drops the fraction`,
    hint: `say how to round: Math.round(${operand.getText()}) as ${type}, or compute with BigDecimal`,
  };
}

/** `amount.toI32()`: graph-ts aborts above 32 bits, but treats the sign bit as a bit of the number. */
function fromBigInt(node: ts.Node, expression: TypedExpression): Trap | undefined {
  if (!typescript.isCallExpression(node) || !typescript.isPropertyAccessExpression(node.expression))
    return undefined;
  const { name, expression: object } = node.expression;
  const [, into = ""] = /^to([IU](?:32|64))$/.exec(name.text) ?? [];
  const type = into.toLowerCase();
  const range = rangeOf(type);
  if (!range || expression.typeOf(object) !== "BigInt") return undefined;
  const found = valueRange(object, expression);
  const isSigned = type.startsWith("i");
  // With an unsigned type, only a negative number is misread; larger ones stop the subgraph.
  const isSilent = isSigned ? !found || !isInside(found, range) : found !== undefined && found.lowest < 0n;
  if (!isSilent || isTested(object, node, expression)) return undefined;
  const text = primary(object);
  return {
    code: "number-overflow",
    node: name,
    fact: `makes a plain number from a BigInt that may not fit`,
    label: isSigned
      ? `is negative above ${range.highest}, and stops the subgraph above ${2n * range.highest + 1n}`
      : "a negative number becomes a positive one",
    hint: `keep the BigInt, or test it first: ${
      type === "i32"
        ? `${text}.isI32()`
        : isSigned
          ? `${text} <= BigInt.fromI64(i64.MAX_VALUE)`
          : `${text} >= BigInt.zero()`
    } ? ${text}.${name.text}() : …`,
  };
}

/** `I32.parseInt("3000000000")`. */
function parsed(node: ts.Node): Trap | undefined {
  if (!typescript.isCallExpression(node)) return undefined;
  const [, type = ""] = /^([IU](?:8|16|32|64))\.parseInt$/.exec(pathOf(node.expression)) ?? [];
  const range = rangeOf(type.toLowerCase());
  const [text] = node.arguments;
  if (!range || !text || !typescript.isStringLiteral(text) || !/^-?\d+$/.test(text.text)) return undefined;
  if (fits(BigInt(text.text), range)) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "parses a number that is too large",
    label: `is ${wrapped(BigInt(text.text), type.toLowerCase())}: ${type.toLowerCase()} holds ${range.lowest} to ${range.highest}`,
    hint: `write BigInt.fromString("${text.text}")`,
  };
}

/** `tick == (x as u32)`: both operands are converted to one type, which cannot hold one of the values. */
function mixedSigns(node: ts.BinaryExpression, expression: TypedExpression): Trap | undefined {
  const operator = node.operatorToken.getText();
  if (!/^(?:[-+*/%&|^]|[!=]==?)$/.test(operator)) return undefined;
  const [left, right] = [expression.typeOf(node.left) ?? "", expression.typeOf(node.right) ?? ""];
  if (!rangeOf(left) || !rangeOf(right) || left[0] === right[0]) return undefined;
  const common = Number(right.slice(1)) <= Number(left.slice(1)) ? left : right;
  const range = rangeOf(common);
  const operands = [node.left, node.right].map((part) => valueRange(part, expression));
  if (!range || operands.every((one) => one && isInside(one, range))) return undefined;
  const [a, b] = [node.left, node.right].map((part) => asBigInt(part, expression));
  return {
    code: "number-overflow",
    node: node.operatorToken,
    fact: `mixes numbers with and without a sign`,
    label: `takes both as ${common}, in which ${common.startsWith("u") ? "a negative number is a large one" : "a large number is negative"}`,
    hint: a && b ? `compute with BigInt: ${a} ${operator} ${b}` : "compute with BigInt",
  };
}
