import type { ts } from "ts-morph";
import type { SpanOf } from "./aborts.js";
import { withoutParentheses, withParentheses } from "./member-path.js";
import type { Hazard } from "./parsed-expression.js";
import { pathOf } from "./paths.js";
import { typescript } from "./typescript.js";

/** AssemblyScript functions that compile but whose imports graph-node does not provide. */
const absent =
  /^(?:Date\.now|Math\.random|Math\.seedRandom|NativeMath\.random|console\.\w+|performance\.now|trace)$/;

/** Finds the hazards that the syntax of an expression reveals, in textual order. */
export function findHazards(node: ts.Node, span: SpanOf): readonly Hazard[] {
  const found: Hazard[] = [];
  const visit = (inner: ts.Node): void => {
    const hazard =
      absentFunction(inner, span) ??
      upperCaseHex(inner, span) ??
      parsedToInteger(inner, span) ??
      readFromNew(inner, span) ??
      unassigned(inner, span);
    if (hazard) found.push(hazard);
    typescript.forEachChild(inner, visit);
  };
  visit(node);
  return found;
}

function absentFunction(node: ts.Node, span: SpanOf): Hazard | undefined {
  const name = typescript.isCallExpression(node) ? pathOf(node.expression) : "";
  if (!typescript.isCallExpression(node) || !absent.test(name)) return undefined;
  return {
    ...span(node.expression),
    code: "unavailable-function",
    severity: "error",
    fact: `uses ${name}, which graph-node does not provide`,
    label: "every node must compute the same result",
    hint: name.startsWith("Date")
      ? "use event.block.timestamp, the block's time in seconds"
      : "use the event, its block and graph-ts instead",
  };
}

/** A comparison with a hex string in upper case: the chain returns lower case. */
function upperCaseHex(node: ts.Node, span: SpanOf): Hazard | undefined {
  if (!typescript.isStringLiteral(node) || !/^0x[0-9a-fA-F]{8,}$/.test(node.text)) return undefined;
  const { parent } = withParentheses(node);
  const isCompared =
    typescript.isBinaryExpression(parent) && /^[!=]==?$/.test(parent.operatorToken.getText());
  if (!/[A-F]/.test(node.text) || !(isCompared || isSearched(parent))) return undefined;
  return {
    ...span(node),
    code: "upper-case-hex",
    severity: "warning",
    fact: "compares with upper-case hex digits",
    label: "toHexString() returns lower case, so these are never equal",
    hint: "write it in lower case",
    fix: [{ ...span(node), text: node.getText().toLowerCase() }],
  };
}

function isSearched(list: ts.Node): boolean {
  if (!typescript.isArrayLiteralExpression(list)) return false;
  const { parent } = withParentheses(list);
  return (
    typescript.isPropertyAccessExpression(parent) &&
    /^(?:includes|indexOf|lastIndexOf)$/.test(parent.name.text)
  );
}

/**
 * `new Array<BigInt>(2)[0]` and `new Map<string, BigInt>().get("x")`: reading from a new, empty container.
 */
function readFromNew(node: ts.Node, span: SpanOf): Hazard | undefined {
  const isNew = (object: ts.Expression): boolean => typescript.isNewExpression(withoutParentheses(object));
  const isElement = typescript.isElementAccessExpression(node) && isNew(node.expression);
  const isGet =
    typescript.isCallExpression(node) &&
    typescript.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "get" &&
    isNew(node.expression.expression);
  if (!isElement && !isGet) return undefined;
  return {
    ...span(node),
    code: "may-abort",
    severity: "warning",
    fact: "stops the subgraph",
    label: "it is still empty",
    hint: "write the value itself",
  };
}

const integerType = /^[iu](?:8|16|32|64)$/;

/**
 * `i32(parseInt(s))`: a string that is not a number yields NaN, and converting NaN to an integer aborts the
 * handler.
 */
function parsedToInteger(node: ts.Node, span: SpanOf): Hazard | undefined {
  const [type, operand] = conversion(node);
  const value = operand && withoutParentheses(operand);
  if (!type || !value || !integerType.test(type) || !typescript.isCallExpression(value)) return undefined;
  if (!/^(?:parseInt|parseFloat)$/.test(pathOf(value.expression))) return undefined;
  const parser = /^(?:i|u)64$/.test(type) ? "I64.parseInt" : "I32.parseInt";
  const isSame = pathOf(value.expression) === "parseInt" && /^i(?:32|64)$/.test(type);
  return {
    ...span(node),
    code: "may-abort",
    severity: "warning",
    fact: "stops the subgraph if the string is not a number",
    label: "parseInt then returns NaN, which cannot become an integer",
    hint: `use ${parser}(…), which then returns 0`,
    ...(isSame && {
      fix: [{ ...span(node), text: `${parser}(${value.arguments.map((one) => one.getText()).join(", ")})` }],
    }),
  };
}

/** The type and operand of the conversions `i32(x)`, `x as i32` and `<i32>x`. */
function conversion(node: ts.Node): readonly [type?: string | undefined, value?: ts.Expression | undefined] {
  if (typescript.isCallExpression(node) && node.arguments.length === 1)
    return [pathOf(node.expression), node.arguments[0]];
  if (typescript.isAsExpression(node) || typescript.isTypeAssertionExpression(node))
    return [node.type.getText(), node.expression];
  return [];
}

/** `let x: BigInt;`: a null pointer of a non-nullable type. */
function unassigned(node: ts.Node, span: SpanOf): Hazard | undefined {
  if (!typescript.isVariableDeclaration(node) || node.initializer || !node.type) return undefined;
  const type = node.type.getText();
  if (/\bnull\b/.test(type) || /^(?:[iuf](?:8|16|32|64)|bool|boolean|[iu]size|number)$/.test(type))
    return undefined;
  if (
    !typescript.isVariableDeclarationList(node.parent) ||
    !typescript.isVariableStatement(node.parent.parent)
  )
    return undefined;
  return {
    ...span(node.name),
    code: "unassigned-variable",
    severity: "warning",
    fact: `declares ${node.name.getText()} without a value`,
    label: `null until it is set, but a ${type} cannot be null`,
    hint: "give it a value in its declaration",
  };
}
