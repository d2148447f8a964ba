import type { ts } from "ts-morph";
import type { Details } from "../diagnostics/diagnostic.js";
import { withoutParentheses } from "../syntax/member-path.js";
import { pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";
import { conversion } from "./conversions.js";
import { callRead, isTested, readOf } from "./null-reading.js";
import { requiring } from "./output-words.js";
import type { TypedExpression } from "./typed-expression.js";

const label = "it may be null";

/**
 * Advice about a nullable value where null is not allowed.
 * @param node the value
 * @param from its type without null
 * @param to the expected type, if that differs
 */
export function wordsForNull(
  node: ts.Expression | undefined,
  expression: TypedExpression | undefined,
  from = "",
  to = from,
): Pick<Details, "label" | "hint" | "fix"> {
  if (!node || !expression) return { label };
  const bare = withoutParentheses(node);
  const path = pathOf(bare);
  if (path !== "") return wordsForPath(path, bare, expression, converted(path, bare, from, to));
  if (typescript.isConditionalExpression(bare)) {
    const branches = [bare.whenTrue, bare.whenFalse];
    if (branches.some(isNull)) return { label, hint: `write what to store instead of null${example(to)}` };
    const branch = branches.find((one) => pathOf(one) !== "" && isTested(one, expression));
    if (branch) return asserted(pathOf(branch), branch, expression);
  }
  const isEither =
    typescript.isBinaryExpression(bare) && bare.operatorToken.kind === typescript.SyntaxKind.BarBarToken;
  if (isEither && pathOf(bare.left) !== "") {
    const text = `${pathOf(bare.left)} === null ? ${bare.right.getText()} : ${pathOf(bare.left)}!`;
    return { label, hint: `write ${text}`, fix: [expression.replace(bare, text)] };
  }
  return { label, hint: "handle null: x === null ? … : x!" };
}

function isNull(node: ts.Expression): boolean {
  return withoutParentheses(node).kind === typescript.SyntaxKind.NullKeyword;
}

function example(to: string): string {
  return to.startsWith("string") ? ', such as ""' : "";
}

/** Texts for a non-null value, converted to the wanted type if needed. */
interface Converted {
  /** `calls.owner.toHexString()`; absent if no conversion is needed. */
  readonly text?: string;
  /** `calls.owner!.toHexString()`. */
  readonly asserted: string;
  /** With a default in place of null. */
  readonly otherwise: string;
}

function converted(path: string, node: ts.Expression, from: string, to: string): Converted {
  const text = conversion(from, to, node)?.text;
  if (text === undefined) return { asserted: `${path}!${readOf(node)}`, otherwise: "…" };
  const asserted = text.replace(node.getText(), () => `${path}!`);
  return { text, asserted, otherwise: to.startsWith("string") ? '""' : "…" };
}

function wordsForPath(path: string, node: ts.Expression, expression: TypedExpression, value: Converted) {
  // `event.receipt` is never null here: the manifest requests receipts if an expression reads them.
  if (path === "event.receipt" || isTested(node, expression)) return asserted(path, node, expression);
  const choice = `${path} === null ? ${value.otherwise} : ${value.asserted}`;
  const call = callRead(path);
  if (call === undefined) return { label, hint: `write ${choice}` };
  const meanwhile = value.text === undefined ? "" : ` and write ${value.text}`;
  return { label, hint: `${requiring(call)}${meanwhile}, or write ${choice}` };
}

/** The compiler does not narrow the type of a tested member, so `!` is needed. */
function asserted(path: string, node: ts.Expression, expression: TypedExpression) {
  const text = `${path}!`;
  return { label, hint: `write ${text}`, fix: [expression.replace(node, text)] };
}
