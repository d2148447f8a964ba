import type { ts } from "ts-morph";
import { describeExpression } from "./describe-expression.js";
import { deepest, type Foreign, findForeign } from "./foreign-syntax.js";
import type { ExpressionResult, ParsedExpression } from "./parsed-expression.js";
import { typescript } from "./typescript.js";

/** Removes what users wrap around an expression out of habit: statements, templates, other languages. */
const wrappings: readonly ((text: string) => string)[] = [
  (text) => text.replace(/^\s*return\s+/, ""),
  (text) => text.replace(/\s*;\s*$/, ""),
  (text) => text.replace(/^\s*\$\{(.*)\}\s*$/s, "$1"),
  (text) => text.replace(/^\s*\{\{(.*)\}\}\s*$/s, "$1"),
  (text) => text.replace(/\s+and\s+/g, " && ").replace(/\s+or\s+/g, " || "),
];

/**
 * Maximum length in characters, beyond any handwritten expression. The parser needs a hundred times the
 * memory of its text.
 */
const longest = 100_000;

/** Parses a text that must be exactly one expression. */
export function parseExpression(text: string): ExpressionResult<ParsedExpression> {
  const result = guarded(text, () => parseOne(text));
  const bare = result.kind === "syntax-error" ? unwrapped(text) : undefined;
  if (result.kind === "parsed" || bare === undefined) return result;
  const isMeant = guarded(bare, () => parseOne(bare)).kind === "parsed";
  if (!isMeant) return result;
  const fix = { offset: 0, length: text.length, text: bare };
  return { kind: "syntax-error", error: { ...result.error, hint: `write ${bare}`, fix } };
}

/** Parses a text that must be a comma-separated list of expressions, like the arguments of a call. */
export function parseExpressionList(text: string): ExpressionResult<readonly ParsedExpression[]> {
  return guarded(text, () => parseList(text));
}

/** Refuses text that AssemblyScript's parser would misread, and text nested too deeply for any parser. */
function guarded<T>(text: string, parse: () => ExpressionResult<T>): ExpressionResult<T> {
  if (text.length > longest) return failure(longest, 1, `it is longer than ${longest} characters`);
  const separator = text.search(/[\u2028\u2029]/);
  if (separator !== -1) {
    const code = text.charCodeAt(separator).toString(16);
    return failure(separator, 1, `it contains a line separator; inside a string, write \\u${code}`);
  }
  try {
    return parse();
  } catch (error) {
    // TypeScript's parser recurses without limit.
    if (!(error instanceof RangeError)) throw error;
    return failure(0, text.length, `it is nested more than ${deepest} levels deep`);
  }
}

function parseOne(text: string): ExpressionResult<ParsedExpression> {
  const prefix = "(\n";
  const parsed = parseStatement(prefix, text, "\n)");
  if (parsed.kind === "syntax-error") return parsed;
  const outer = parsed.value.expression;
  if (!typescript.isParenthesizedExpression(outer) || outer.end !== parsed.value.file.text.length) {
    return notOne(text, prefix, outer);
  }
  const inner = outer.expression;
  if (typescript.isBinaryExpression(inner) && inner.operatorToken.kind === typescript.SyntaxKind.CommaToken) {
    return failure(inner.operatorToken.getStart() - prefix.length, 1, "expected one expression, not a list");
  }
  return described([inner], parsed.value.file, prefix.length, ([one]) => one as ParsedExpression);
}

function parseList(text: string): ExpressionResult<readonly ParsedExpression[]> {
  const prefix = "f(\n";
  const parsed = parseStatement(prefix, text, "\n)");
  if (parsed.kind === "syntax-error") return parsed;
  const outer = parsed.value.expression;
  const isCall = typescript.isCallExpression(outer) && typescript.isIdentifier(outer.expression);
  if (!isCall || outer.end !== parsed.value.file.text.length) return notOne(text, prefix, outer);
  const spread = outer.arguments.find((argument) => typescript.isSpreadElement(argument));
  if (spread) {
    return failure(
      spread.getStart() - prefix.length,
      3,
      "AssemblyScript cannot spread an array into arguments",
    );
  }
  return described([...outer.arguments], parsed.value.file, prefix.length, (all) => all);
}

interface ParsedStatement {
  readonly file: ts.SourceFile;
  readonly expression: ts.Expression;
}

/** Parses `prefix text suffix` and checks that it is a single expression statement without syntax errors. */
function parseStatement(prefix: string, text: string, suffix: string): ExpressionResult<ParsedStatement> {
  if (text.trim() === "") return failure(0, text.length, "expected an expression, but this is empty");
  const file = typescript.createSourceFile(
    "expression.ts",
    prefix + text + suffix,
    typescript.ScriptTarget.ES2020,
    /* setParentNodes */ true,
  );
  const [syntaxError] = parseDiagnosticsOf(file);
  if (syntaxError) {
    const offset = Math.min(Math.max(0, syntaxError.start - prefix.length), text.length);
    const length = Math.max(1, Math.min(syntaxError.length, text.length - offset));
    const message = typescript.flattenDiagnosticMessageText(syntaxError.messageText, " ");
    // The closing parenthesis was appended here.
    const isOver = message === "')' expected.";
    return failure(offset, length, isOver ? "the expression ends before this" : lowerFirst(message));
  }
  const [statement, second] = file.statements;
  if (statement === undefined || !typescript.isExpressionStatement(statement)) {
    return failure(0, text.length, "expected an expression, not a statement");
  }
  if (second) {
    return failure(
      Math.max(0, statement.end - prefix.length - 1),
      1,
      "the expression ends here; the rest would be a second statement",
    );
  }
  return { kind: "parsed", value: { file, expression: statement.expression } };
}

/** The parser's diagnostics, an undeclared property of TypeScript's node. */
function parseDiagnosticsOf(file: ts.SourceFile): readonly ts.DiagnosticWithLocation[] {
  return (file as unknown as { parseDiagnostics: readonly ts.DiagnosticWithLocation[] }).parseDiagnostics;
}

/** For a text that closes the parenthesis before it: blames the closing parenthesis. */
function notOne(text: string, prefix: string, outer: ts.Expression): ExpressionResult<never> {
  let depth = 0;
  let close: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (close) return;
    if (node.kind === typescript.SyntaxKind.OpenParenToken) depth += 1;
    if (node.kind === typescript.SyntaxKind.CloseParenToken && --depth === 0) close = node;
    for (const child of node.getChildren()) visit(child);
  };
  visit(outer);
  const offset = close ? Math.min(close.getStart() - prefix.length, text.length - 1) : 0;
  return failure(
    offset,
    close ? 1 : text.length,
    "expected one expression, but this ends it and begins a second",
  );
}

function failure(offset: number, length: number, reason: string): ExpressionResult<never> {
  return { kind: "syntax-error", error: { offset, length, reason } };
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "");
}

/** Analyses parsed expressions, unless AssemblyScript lacks their syntax. */
function described<T>(
  nodes: readonly ts.Expression[],
  file: ts.SourceFile,
  prefixLength: number,
  shape: (all: readonly ParsedExpression[]) => T,
): ExpressionResult<T> {
  for (const node of nodes) {
    const foreign = findForeign(node);
    if (foreign) return refused(foreign, prefixLength);
  }
  return {
    kind: "parsed",
    value: shape(nodes.map((node) => describeExpression(node, file, prefixLength))),
  };
}

function refused(
  { node, reason, hint, replacement }: Foreign,
  prefixLength: number,
): ExpressionResult<never> {
  const offset = node.getStart() - prefixLength;
  const length = Math.max(1, node.end - node.getStart());
  return {
    kind: "syntax-error",
    error: {
      offset,
      length,
      reason,
      ...(hint !== undefined && { hint }),
      ...(replacement !== undefined && { fix: { offset, length, text: replacement } }),
    },
  };
}

/** The expression in a text that is invalid only because of its wrapping; `undefined` if there is none. */
function unwrapped(text: string): string | undefined {
  const bare = wrappings.reduce((left, unwrap) => unwrap(left), text).trim();
  return bare === text.trim() || bare === "" ? undefined : bare;
}
