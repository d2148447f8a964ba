import type { ts } from "ts-morph";
import type { Details } from "../diagnostics/diagnostic.js";
import { withoutParentheses } from "../syntax/member-path.js";
import { guards, mentions, pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";
import type { TypedExpression } from "./typed-expression.js";

const label = "it may be null";

/**
 * What to do about a value that may be null where none is allowed.
 * @param node the value
 */
export function wordsForNull(
  node: ts.Expression | undefined,
  expression: TypedExpression | undefined,
): Pick<Details, "label" | "hint" | "fix"> {
  if (!node || !expression) return { label };
  const bare = withoutParentheses(node);
  const path = pathOf(bare);
  if (path !== "") return wordsForPath(path, bare, expression);
  if (typescript.isConditionalExpression(bare)) {
    const branch = [bare.whenTrue, bare.whenFalse].find(
      (one) => pathOf(one) !== "" && isTested(one, expression),
    );
    if (branch) return asserted(pathOf(branch), branch, expression);
  }
  const isEither =
    typescript.isBinaryExpression(bare) && bare.operatorToken.kind === typescript.SyntaxKind.BarBarToken;
  if (isEither && pathOf(bare.left) !== "") {
    const text = `${pathOf(bare.left)} === null ? ${bare.right.getText()} : ${pathOf(bare.left)}!`;
    return { label, hint: `write ${text}`, fix: [expression.replace(bare, text)] };
  }
  return { label, hint: "say what null means: x === null ? … : x!" };
}

function wordsForPath(path: string, node: ts.Expression, expression: TypedExpression) {
  // The manifest asks for receipts wherever an expression reads them.
  if (path === "event.receipt" || isTested(node, expression)) return asserted(path, node, expression);
  const choice = `${path} === null ? … : ${path}!`;
  const ref = /^calls\.(\w+)$/.exec(path)?.[1];
  const hint = ref ? `mark call "${ref}" as "required": true, or write ${choice}` : `write ${choice}`;
  return { label, hint };
}

/** The compiler does not take a test of a member for a proof, so it wants to be told. */
function asserted(path: string, node: ts.Expression, expression: TypedExpression) {
  const text = `${path}!`;
  return { label, hint: `write ${text}`, fix: [expression.replace(node, text)] };
}

function isTested(node: ts.Expression, expression: TypedExpression): boolean {
  const path = pathOf(node);
  return guards(node, expression.root).some((test) => mentions(test, [path]));
}
