import type { ts } from "ts-morph";
import type { Details } from "../diagnostics/diagnostic.js";
import type { TypedExpression } from "./typed-expression.js";

/** What a message of the compiler says to the user: a few words about the place, and what to do. */
export type Words = Pick<Details, "label" | "notes" | "hint" | "fix">;

/** The fix that puts a text in the place of a part. */
export function fixing(expression: TypedExpression, node: ts.Node, text: string): Pick<Details, "fix"> {
  return { fix: [expression.replace(node, text)] };
}
