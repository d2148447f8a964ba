import type { ts } from "ts-morph";
import { typescript } from "./typescript.js";

/** A part of an expression in TypeScript syntax that AssemblyScript lacks. */
export interface Foreign {
  readonly node: ts.Node;
  readonly reason: string;
  readonly hint?: string;
  /** The equivalent in AssemblyScript, if it is certain. */
  readonly replacement?: string;
}

/** Maximum depth of nodes: beyond handwritten expressions, and safe for the parsers' recursion. */
export const deepest = 300;

/** Finds the first part of an expression that AssemblyScript's parser would refuse, crash on or misread. */
export function findForeign(node: ts.Node, depth = 0): Foreign | undefined {
  if (depth > deepest) return { node, reason: `it is nested more than ${deepest} levels deep` };
  return foreignness(node) ?? typescript.forEachChild(node, (child) => findForeign(child, depth + 1));
}

function foreignness(node: ts.Node): Foreign | undefined {
  const isWaiting = typescript.isAwaitExpression(node) || typescript.isYieldExpression(node);
  if (isWaiting || (typescript.isIdentifier(node) && /^(?:await|yield)$/.test(node.text))) {
    return { node, reason: "AssemblyScript can neither await nor yield" };
  }
  if (typescript.isUnionTypeNode(node) && node.types.filter((type) => !isNull(type)).length > 1) {
    return {
      node,
      reason: "AssemblyScript has no union types except with null",
      hint: "choose one type",
    };
  }
  if (typescript.isRegularExpressionLiteral(node)) {
    return {
      node,
      reason: "AssemblyScript has no regular expressions",
      hint: "use string methods such as startsWith, includes, split or replace",
    };
  }
  if (
    typescript.isBinaryExpression(node) &&
    node.operatorToken.kind === typescript.SyntaxKind.QuestionQuestionToken
  ) {
    return nullishness(node);
  }
  const isAccess =
    typescript.isPropertyAccessExpression(node) ||
    typescript.isElementAccessExpression(node) ||
    typescript.isCallExpression(node);
  if (isAccess && node.questionDotToken) {
    const object = node.expression.getText();
    if (isNeverNull(object)) {
      const mark = typescript.isPropertyAccessExpression(node) ? "." : "";
      const written = node.getText().slice(object.length).replace("?.", mark);
      return {
        node: node.questionDotToken,
        reason: "AssemblyScript has no ?., and this is never null",
        hint: `write ${object}${written}`,
        replacement: mark,
      };
    }
    return {
      node: node.questionDotToken,
      reason: "AssemblyScript has no ?.",
      hint: `say what null means: ${object} === null ? … : ${object}!.…`,
    };
  }
  return undefined;
}

/** In events and calls, only the receipt and the transaction's receiver can be null. */
function isNeverNull(object: string): boolean {
  return /^(?:event|call)(?:\.\w+)*$/.test(object) && !/\.(?:receipt|transaction\.to)$/.test(object);
}

function isNull(type: ts.TypeNode): boolean {
  return typescript.isLiteralTypeNode(type) && type.literal.kind === typescript.SyntaxKind.NullKeyword;
}

function nullishness(node: ts.BinaryExpression): Foreign {
  const left = node.left.getText();
  const right = node.right.getText();
  const isPath = /^[\w$]+(?:!?\.[\w$]+)*$/.test(left);
  const choice = `${left} === null ? ${right} : ${left}!`;
  const isAlone =
    typescript.isParenthesizedExpression(node.parent) || typescript.isCallExpression(node.parent);
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
