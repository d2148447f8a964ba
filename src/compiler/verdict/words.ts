import type { ts } from "ts-morph";
import type { Details } from "../diagnostics/diagnostic.js";
import type { TypedExpression } from "./typed-expression.js";

/** A compiler message in the user's terms: label, notes, hint and fix. */
export type Words = Pick<Details, "label" | "notes" | "hint" | "fix">;

export function fixing(expression: TypedExpression, node: ts.Node, text: string): Pick<Details, "fix"> {
  return { fix: [expression.replace(node, text)] };
}
