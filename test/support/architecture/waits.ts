import { ts } from "ts-morph";

/** What a limit contains, wherever it is in a file. */
const mayLimit = /\btimeout\b|, [\d_]+\s*\)/;
/** Methods of vitest and Playwright that wait. */
const waits = /^(?:poll|waitFor(?!Timeout)\w*|waitUntil)$/;

/**
 * The waits of a test file that have a limit of their own, as `file:line name`. Busy machines are slow, so that such limits
 * make tests fail by chance. `vi.waitFor` has a limit of a second if none is given.
 */
export function limitedWaits(file: string, text: string): readonly string[] {
  // Few files can have one, and parsing all of them would take seconds.
  const isSuspect = /\bvi\s*\.\s*wait/.test(text) || (/\bpoll\b|\bwaitFor/.test(text) && mayLimit.test(text));
  if (!isSuspect) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      const isOfVitest = ts.isIdentifier(expression) && expression.text === "vi";
      if (waits.test(name.text) && (isOfVitest || node.arguments.some(isLimit))) {
        const { line } = source.getLineAndCharacterOfPosition(name.getStart(source));
        found.push(`${file}:${line + 1} ${name.text}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Whether an argument gives a wait a limit: `{ timeout: 5_000 }` or `5_000`. */
function isLimit(argument: ts.Expression): boolean {
  if (ts.isNumericLiteral(argument)) return true;
  if (!ts.isObjectLiteralExpression(argument)) return false;
  return argument.properties.some(({ name }) => name && ts.isIdentifier(name) && name.text === "timeout");
}
