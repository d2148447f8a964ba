import type { ts } from "ts-morph";
import { typescript } from "../../syntax/typescript.js";
import type { TypedExpression } from "../typed-expression.js";
import { bytesAsText } from "./bytes-as-text.js";
import { constantCondition } from "./constant-condition.js";
import { earlyDivision } from "./early-division.js";
import { identityComparison } from "./identity-comparison.js";
import { narrowing } from "./narrowing.js";
import { numberOverflow } from "./number-overflow.js";
import { outOfBounds } from "./out-of-bounds.js";
import type { Trap, TrapRule } from "./trap.js";
import { unsafeCast } from "./unsafe-cast.js";

const rules: readonly TrapRule[] = [
  identityComparison,
  bytesAsText,
  unsafeCast,
  constantCondition,
  numberOverflow,
  narrowing,
  earlyDivision,
  outOfBounds,
];

/** Finds the traps of an expression: code that compiles but does not do what it seems to. */
export function findTraps(expression: TypedExpression): readonly Trap[] {
  const found: Trap[] = [];
  const visit = (node: ts.Node): void => {
    for (const rule of rules) {
      const trap = rule(node, expression);
      if (trap) found.push(trap);
    }
    typescript.forEachChild(node, visit);
  };
  visit(expression.root);
  return found;
}
