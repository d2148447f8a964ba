import { ts } from "ts-morph";

/** A piece of user text that is exactly one expression, and what it mentions. Offsets count in the user's string. */
export interface ParsedExpression {
  /** The expression without surrounding white space and comments. */
  readonly text: string;
  /** Where `text` begins in the user's string. */
  readonly offset: number;
  /** Names that are not members, keys or parameters of the expression's own functions. */
  readonly freeNames: readonly NameUse[];
  /** Member paths that start at a free name, such as `event.params.to` (longest first part only, no calls inside). */
  readonly paths: readonly PathUse[];
}

export interface NameUse {
  readonly name: string;
  readonly offset: number;
}

/** `calls.token0` in `calls.token0!.toHexString()` gives `["calls", "token0", "toHexString"]`. */
export interface PathUse {
  readonly names: readonly NameUse[];
  /** True when the whole expression is this path and nothing else. */
  readonly isWhole: boolean;
}

/** Why a text is not one expression. */
export interface ExpressionSyntaxError {
  readonly offset: number;
  readonly length: number;
  readonly reason: string;
}

export type ExpressionResult<T> =
  | { readonly kind: "parsed"; readonly value: T }
  | { readonly kind: "syntax-error"; readonly error: ExpressionSyntaxError };

/** Deeper than any expression a person writes, and well within what the parsers' recursion carries. */
const deepest = 300;

/** Parses a text that must be exactly one expression. */
export function parseExpression(text: string): ExpressionResult<ParsedExpression> {
  return guarded(text, () => parseOne(text));
}

/** Parses a text that must be a comma-separated list of expressions, as between the parentheses of a call. */
export function parseExpressionList(text: string): ExpressionResult<readonly ParsedExpression[]> {
  return guarded(text, () => parseList(text));
}

/** Refuses what AssemblyScript's parser would take for something else, and what is too deep for any parser. */
function guarded<T>(text: string, parse: () => ExpressionResult<T>): ExpressionResult<T> {
  const separator = text.search(/[\u2028\u2029]/);
  if (separator !== -1) {
    const code = text.charCodeAt(separator).toString(16);
    return failure(separator, 1, `it holds a line separator; inside a text, write \\u${code}`);
  }
  try {
    return parse();
  } catch (error) {
    // TypeScript's parser recurses and has no limit of its own.
    if (!(error instanceof RangeError)) throw error;
    return failure(0, text.length, `it is nested more than ${deepest} levels deep`);
  }
}

function parseOne(text: string): ExpressionResult<ParsedExpression> {
  const prefix = "(\n";
  const parsed = parseStatement(prefix, text, "\n)");
  if (parsed.kind === "syntax-error") return parsed;
  const outer = parsed.value.expression;
  if (!ts.isParenthesizedExpression(outer) || outer.end !== parsed.value.file.text.length) {
    return notOne(text, prefix, outer);
  }
  const inner = outer.expression;
  if (ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.CommaToken) {
    return failure(
      inner.operatorToken.getStart() - prefix.length,
      1,
      "one expression is wanted, not a list of them",
    );
  }
  return described([inner], parsed.value.file, prefix.length, ([one]) => one as ParsedExpression);
}

function parseList(text: string): ExpressionResult<readonly ParsedExpression[]> {
  const prefix = "f(\n";
  const parsed = parseStatement(prefix, text, "\n)");
  if (parsed.kind === "syntax-error") return parsed;
  const outer = parsed.value.expression;
  const isCall = ts.isCallExpression(outer) && ts.isIdentifier(outer.expression);
  if (!isCall || outer.end !== parsed.value.file.text.length) return notOne(text, prefix, outer);
  const spread = outer.arguments.find((argument) => ts.isSpreadElement(argument));
  if (spread) {
    return failure(
      spread.getStart() - prefix.length,
      3,
      "AssemblyScript cannot spread a list into arguments",
    );
  }
  return described([...outer.arguments], parsed.value.file, prefix.length, (all) => all);
}

interface ParsedStatement {
  readonly file: ts.SourceFile;
  readonly expression: ts.Expression;
}

/** Parses `prefix text suffix` and makes sure that it is a single expression statement free of syntax errors. */
function parseStatement(prefix: string, text: string, suffix: string): ExpressionResult<ParsedStatement> {
  if (text.trim() === "") return failure(0, text.length, "an expression is wanted, this is empty");
  const file = ts.createSourceFile(
    "expression.ts",
    prefix + text + suffix,
    ts.ScriptTarget.ES2020,
    /* setParentNodes */ true,
  );
  const [syntaxError] = parseDiagnosticsOf(file);
  if (syntaxError) {
    const offset = Math.min(Math.max(0, syntaxError.start - prefix.length), text.length);
    const length = Math.max(1, Math.min(syntaxError.length, text.length - offset));
    const message = ts.flattenDiagnosticMessageText(syntaxError.messageText, " ");
    // The closing parenthesis is the one this parser has put around the text.
    const isOver = message === "')' expected.";
    return failure(offset, length, isOver ? "it is over before this" : lowerFirst(message));
  }
  const [statement, second] = file.statements;
  if (statement === undefined || !ts.isExpressionStatement(statement)) {
    return failure(0, text.length, "one expression is wanted, not a statement");
  }
  if (second) {
    return failure(
      Math.max(0, statement.end - prefix.length - 1),
      1,
      "the expression ends here, what follows would be a second statement",
    );
  }
  return { kind: "parsed", value: { file, expression: statement.expression } };
}

/** The parser's findings; TypeScript keeps them on the node without declaring so. */
function parseDiagnosticsOf(file: ts.SourceFile): readonly ts.DiagnosticWithLocation[] {
  return (file as unknown as { parseDiagnostics: readonly ts.DiagnosticWithLocation[] }).parseDiagnostics;
}

/** The parenthesis this parser has put before the text is closed inside it: blames the one that does so. */
function notOne(text: string, prefix: string, outer: ts.Expression): ExpressionResult<never> {
  let depth = 0;
  let close: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (close) return;
    if (node.kind === ts.SyntaxKind.OpenParenToken) depth += 1;
    if (node.kind === ts.SyntaxKind.CloseParenToken && --depth === 0) close = node;
    for (const child of node.getChildren()) visit(child);
  };
  visit(outer);
  const offset = close ? Math.min(close.getStart() - prefix.length, text.length - 1) : 0;
  return failure(
    offset,
    close ? 1 : text.length,
    "one expression is wanted, this closes it and begins another",
  );
}

function failure(offset: number, length: number, reason: string): ExpressionResult<never> {
  return { kind: "syntax-error", error: { offset, length, reason } };
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "");
}

/** Describes expressions that syntax alone allows, unless AssemblyScript has no such thing. */
function described<T>(
  nodes: readonly ts.Expression[],
  file: ts.SourceFile,
  prefixLength: number,
  shape: (all: readonly ParsedExpression[]) => T,
): ExpressionResult<T> {
  for (const node of nodes) {
    const foreign = findForeign(node, 0);
    if (foreign) {
      const start = foreign.node.getStart(file);
      return failure(start - prefixLength, Math.max(1, foreign.node.end - start), foreign.reason);
    }
  }
  return { kind: "parsed", value: shape(nodes.map((node) => describe(node, file, prefixLength))) };
}

function findForeign(node: ts.Node, depth: number): { node: ts.Node; reason: string } | undefined {
  if (depth > deepest) return { node, reason: `it is nested more than ${deepest} levels deep` };
  const isWaiting = ts.isAwaitExpression(node) || ts.isYieldExpression(node);
  if (isWaiting || (ts.isIdentifier(node) && /^(?:await|yield)$/.test(node.text))) {
    return { node, reason: "AssemblyScript can neither await nor yield" };
  }
  return ts.forEachChild(node, (child) => findForeign(child, depth + 1));
}

function describe(node: ts.Expression, file: ts.SourceFile, prefixLength: number): ParsedExpression {
  const start = node.getStart(file);
  const free: ts.Identifier[] = [];
  collectFreeNames(node, new Set(), free);
  const nameUse = (identifier: ts.Identifier | ts.MemberName): NameUse => ({
    name: identifier.text,
    offset: identifier.getStart(file) - prefixLength,
  });
  return {
    text: file.text.slice(start, node.end),
    offset: start - prefixLength,
    freeNames: free.map(nameUse),
    paths: free.map((use) => {
      const members = memberPath(use);
      return { names: members.identifiers.map(nameUse), isWhole: members.top === node };
    }),
  };
}

/** Follows `a.b!.c` upwards from `a`. */
function memberPath(root: ts.Identifier): { identifiers: (ts.Identifier | ts.MemberName)[]; top: ts.Node } {
  const identifiers: (ts.Identifier | ts.MemberName)[] = [root];
  let top: ts.Node = root;
  for (;;) {
    const parent: ts.Node = top.parent;
    if (ts.isPropertyAccessExpression(parent) && parent.expression === top) identifiers.push(parent.name);
    else if (!(ts.isNonNullExpression(parent) && ts.isPropertyAccessExpression(parent.parent))) break;
    top = parent;
  }
  return { identifiers, top };
}

/** Names that no function inside the expression declares; `hidden` are those that an outer one does. */
function collectFreeNames(node: ts.Node, hidden: ReadonlySet<string>, free: ts.Identifier[]): void {
  const inside =
    ts.isArrowFunction(node) || ts.isFunctionExpression(node) ? hiddenInside(node, hidden) : hidden;
  if (ts.isIdentifier(node) && !isMemberName(node) && !inside.has(node.text)) free.push(node);
  ts.forEachChild(node, (child) => collectFreeNames(child, inside, free));
}

function hiddenInside(
  fn: ts.ArrowFunction | ts.FunctionExpression,
  hidden: ReadonlySet<string>,
): Set<string> {
  const names = new Set(hidden);
  const declare = (node: ts.Node): void => {
    const isDeclaration =
      ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isFunctionExpression(node);
    if (isDeclaration && node.name && ts.isIdentifier(node.name)) names.add(node.name.text);
    ts.forEachChild(node, declare);
  };
  declare(fn);
  return names;
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isQualifiedName(parent) && parent.right === node)
  );
}
