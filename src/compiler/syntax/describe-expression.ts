import type { ts } from "ts-morph";
import { findAborts, type SpanOf } from "./aborts.js";
import { constantText } from "./constant-text.js";
import { findHazards } from "./hazards.js";
import { callAround, memberPath, withoutParentheses } from "./member-path.js";
import type { NameUse, ParsedExpression, PathCall } from "./parsed-expression.js";
import { typescript } from "./typescript.js";

const loose: ReadonlySet<ts.SyntaxKind> = new Set([
  typescript.SyntaxKind.EqualsEqualsToken,
  typescript.SyntaxKind.ExclamationEqualsToken,
]);

/**
 * Analyses a parsed expression.
 * @param prefixLength number of characters in the file before the user's string
 */
export function describeExpression(
  node: ts.Expression,
  file: ts.SourceFile,
  prefixLength: number,
): ParsedExpression {
  const start = node.getStart(file);
  const free: ts.Identifier[] = [];
  collectFreeNames(node, new Set(), free);
  const span: SpanOf = (part) => ({
    offset: part.getStart(file) - prefixLength,
    length: part.end - part.getStart(file),
  });
  const nameUse = (identifier: ts.Identifier | ts.MemberName): NameUse => ({
    name: identifier.text,
    offset: span(identifier).offset,
  });
  const nullTests = looseNullTests(node);
  const constant = constantText(node);
  return {
    ...strictText(node, nullTests, file),
    offset: start - prefixLength,
    ...(constant !== undefined && { constantText: constant }),
    freeNames: free.map(nameUse),
    paths: free.map((use) => {
      const { identifiers, isWhole, call } = memberPath(use, node);
      const names = identifiers.map(nameUse);
      return { names, isWhole, ...(call && { call: pathCall(call, node, span) }) };
    }),
    looseNullTests: nullTests.map(span),
    hazards: findHazards(node, span),
    aborts: findAborts(node, span),
  };
}

function pathCall(call: ts.CallExpression, whole: ts.Expression, span: SpanOf): PathCall {
  const { offset, length } = span(call);
  const { parent } = call;
  const isRead = call !== whole && typescript.isPropertyAccessExpression(parent) && parent !== whole;
  const method = isRead ? callAround(parent) : undefined;
  return {
    end: offset + length,
    argumentCount: call.arguments.length,
    ...(isRead && method && { method: { ...pathCall(method, whole, span), name: parent.name.text } }),
  };
}

/** The text with `=` after each of the operators. */
function strictText(
  node: ts.Expression,
  operators: readonly ts.Node[],
  file: ts.SourceFile,
): { readonly text: string; readonly inserted: readonly number[] } {
  let text = "";
  let from = node.getStart(file);
  const inserted: number[] = [];
  for (const { end } of operators) {
    text += file.text.slice(from, end);
    inserted.push(text.length);
    text += "=";
    from = end;
  }
  return { text: text + file.text.slice(from, node.end), inserted };
}

/**
 * Collects free names: no function inside the expression declares them. `hidden` has the names that outer functions
 * declare.
 */
function collectFreeNames(node: ts.Node, hidden: ReadonlySet<string>, free: ts.Identifier[]): void {
  const inside =
    typescript.isArrowFunction(node) || typescript.isFunctionExpression(node)
      ? hiddenInside(node, hidden)
      : hidden;
  if (typescript.isIdentifier(node) && !isMemberName(node) && !inside.has(node.text)) free.push(node);
  typescript.forEachChild(node, (child) => collectFreeNames(child, inside, free));
}

function hiddenInside(
  fn: ts.ArrowFunction | ts.FunctionExpression,
  hidden: ReadonlySet<string>,
): Set<string> {
  const names = new Set(hidden);
  const declare = (node: ts.Node): void => {
    const isDeclaration =
      typescript.isParameter(node) ||
      typescript.isVariableDeclaration(node) ||
      typescript.isFunctionExpression(node);
    if (isDeclaration && node.name && typescript.isIdentifier(node.name)) names.add(node.name.text);
    typescript.forEachChild(node, declare);
  };
  declare(fn);
  return names;
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (typescript.isPropertyAccessExpression(parent) && parent.name === node) ||
    (typescript.isPropertyAssignment(parent) && parent.name === node) ||
    (typescript.isQualifiedName(parent) && parent.right === node)
  );
}

/**
 * Finds the operators of comparisons such as `x == null`. For some types, AssemblyScript's compiler crashes
 * on these; `===` means the same for all types.
 */
function looseNullTests(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (inner: ts.Node): void => {
    const isTest = typescript.isBinaryExpression(inner) && loose.has(inner.operatorToken.kind);
    if (isTest && withoutParentheses(inner.right).kind === typescript.SyntaxKind.NullKeyword)
      found.push(inner.operatorToken);
    typescript.forEachChild(inner, visit);
  };
  visit(node);
  return found.sort((a, b) => a.getStart() - b.getStart());
}
