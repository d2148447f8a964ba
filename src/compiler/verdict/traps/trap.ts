import type { ts } from "ts-morph";
import type { Code } from "../../diagnostics/catalog.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { TypedExpression } from "../typed-expression.js";

/** What compiles and does something else than it says. */
export interface Trap extends Pick<Details, "label" | "notes" | "hint" | "fix"> {
  readonly code: Code;
  /** The least part that is wrong. */
  readonly node: ts.Node;
  /** Follows what the expression is: `the value of A.a`. */
  readonly fact: string;
}

/** Looks at one part of an expression, whose inner parts it is given as well. */
export type TrapRule = (node: ts.Node, expression: TypedExpression) => Trap | undefined;
