import type { ts } from "ts-morph";
import type { NumberBounds } from "../../model/enrichment.js";
import { typescript } from "../../syntax/typescript.js";
import type { TypedExpression } from "../typed-expression.js";
import type { TrapRule } from "./trap.js";
import { fits, rangeOf, writtenNumber } from "./whole-numbers.js";

/** `"w uint8": "300"`: the value is outside the declared type's range, but nothing fails. */
export const outOfBounds: TrapRule = (node, expression) => {
  const { bounds } = expression.user;
  if (!bounds || !isGiven(node, expression, bounds)) return undefined;
  const value = writtenNumber(node);
  if (value === undefined || fits(value, bounds)) return undefined;
  const type = expression.typeOf(node) ?? "";
  // Overflowing arithmetic is a separate trap.
  const range = rangeOf(type);
  if (typescript.isBinaryExpression(node) && range && !fits(value, range)) return undefined;
  const stored = range ? BigInt.asIntN(32, value) : value;
  const end =
    value > bounds.highest
      ? `the maximum of ${bounds.type} is ${bounds.highest}`
      : `the minimum of ${bounds.type} is ${bounds.lowest}`;
  return {
    code: "number-overflow",
    node,
    fact: `does not fit into ${bounds.type}`,
    label: `${end}: this ${stored === value ? "stays" : "becomes"} ${stored}`,
    hint: `declare a type that can hold it, such as ${holding(value, bounds)}`,
  };
};

/** Whether a part is a possible value of the whole expression, or one of its items. */
function isGiven(node: ts.Node, { root }: TypedExpression, { isList }: NumberBounds): node is ts.Expression {
  if (!typescript.isExpression(node) || typescript.isParenthesizedExpression(node)) return false;
  let inList = false;
  for (let part: ts.Node = node; part !== root; part = part.parent) {
    const { parent } = part;
    const isElement: boolean = typescript.isArrayLiteralExpression(parent) && !inList;
    const isBranch: boolean = typescript.isConditionalExpression(parent) && parent.condition !== part;
    if (!isElement && !isBranch && !typescript.isParenthesizedExpression(parent)) return false;
    inList ||= isElement;
  }
  return inList === isList;
}

const widths = [8n, 16n, 24n, 32n, 64n, 128n];

/** The narrowest usual type whose range includes a number and the range of the declared type. */
function holding(value: bigint, { lowest, highest }: NumberBounds): string {
  const isSigned = value < 0n || lowest < 0n;
  const wanted = value < 0n ? -value - 1n : value;
  const magnitude = wanted > highest ? wanted : highest;
  const width = widths.find((bits) => magnitude < 2n ** (isSigned ? bits - 1n : bits)) ?? 256n;
  return `${isSigned ? "int" : "uint"}${width}`;
}
