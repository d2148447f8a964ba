import { ts } from "ts-morph";

/** A part of an expression that TypeScript has and AssemblyScript has not. */
export interface Foreign {
  readonly node: ts.Node;
  readonly reason: string;
  readonly hint?: string;
  /** The same in AssemblyScript, where that is certain. */
  readonly replacement?: string;
}

/** Deeper than any expression a person writes, and well within what the parsers' recursion carries. */
export const deepest = 300;

/** The first part of an expression that AssemblyScript's parser would refuse, crash on, or take for something else. */
export function findForeign(node: ts.Node, depth = 0): Foreign | undefined {
  if (depth > deepest) return { node, reason: `it is nested more than ${deepest} levels deep` };
  return foreignness(node) ?? ts.forEachChild(node, (child) => findForeign(child, depth + 1));
}

function foreignness(node: ts.Node): Foreign | undefined {
  const isWaiting = ts.isAwaitExpression(node) || ts.isYieldExpression(node);
  if (isWaiting || (ts.isIdentifier(node) && /^(?:await|yield)$/.test(node.text))) {
    return { node, reason: "AssemblyScript can neither await nor yield" };
  }
  if (ts.isUnionTypeNode(node) && node.types.filter((type) => !isNull(type)).length > 1) {
    return {
      node,
      reason: "AssemblyScript has no unions of types, but for null",
      hint: "choose one type",
    };
  }
  if (ts.isRegularExpressionLiteral(node)) {
    return {
      node,
      reason: "AssemblyScript has no regular expressions",
      hint: "use startsWith, includes, split or replace of strings",
    };
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
    return nullishness(node);
  }
  const isAccess =
    ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node);
  if (isAccess && node.questionDotToken) {
    const object = node.expression.getText();
    return {
      node: node.questionDotToken,
      reason: "AssemblyScript has no ?.",
      hint: `say what null means: ${object} === null ? … : ${object}!.…`,
    };
  }
  return undefined;
}

function isNull(type: ts.TypeNode): boolean {
  return ts.isLiteralTypeNode(type) && type.literal.kind === ts.SyntaxKind.NullKeyword;
}

function nullishness(node: ts.BinaryExpression): Foreign {
  const left = node.left.getText();
  const right = node.right.getText();
  const isPath = /^[\w$]+(?:!?\.[\w$]+)*$/.test(left);
  const choice = `${left} === null ? ${right} : ${left}!`;
  const isAlone = ts.isParenthesizedExpression(node.parent) || ts.isCallExpression(node.parent);
  return {
    node: isPath ? node : node.operatorToken,
    reason: "AssemblyScript has no ??",
    hint: isPath ? `write ${choice}` : "test for null: a === null ? b : a!",
    ...(isPath && !holdsForeign(node.right) && { replacement: isAlone ? choice : `(${choice})` }),
  };
}

function holdsForeign(node: ts.Node): boolean {
  return findForeign(node) !== undefined;
}
