import type { ts } from "ts-morph";
import type { Code } from "../../diagnostics/catalog.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { TypedExpression } from "../typed-expression.js";

export interface Trap extends Pick<Details, "label" | "notes" | "hint" | "fix"> {
  readonly code: Code;
  /** The smallest wrong part. */
  readonly node: ts.Node;
  /** The mistake; follows the description of the expression: `the value of A.a`. */
  readonly fact: string;
}

/** Checks one node of an expression; called for every node. */
export type TrapRule = (node: ts.Node, expression: TypedExpression) => Trap | undefined;
