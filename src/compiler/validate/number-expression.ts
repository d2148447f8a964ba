import { storedType } from "../abi/conversions.js";
import { parseSignature } from "../abi/parse-signature.js";
import type { TreeNode } from "../source/tree.js";
import type { IndexedValue } from "./tree-index.js";

/** The expression of a field for a number or a boolean that is written without quotes. */
export function asExpression({ node, key }: IndexedValue): string | undefined {
  const type = key && /^\s*[_A-Za-z]\w*\s+(\S+)\s*$/.exec(key.value)?.[1];
  if (type === undefined || (node.kind !== "number" && node.kind !== "boolean")) return undefined;
  const written = node.at.source.text.slice(node.at.start, node.at.end);
  const scalar = scalarOf(type);
  if (scalar === "String") return `"${written}"`;
  if (node.kind === "boolean") return scalar === "Boolean" ? written : undefined;
  if (scalar === "BigDecimal" && /^-?\d+(?:\.\d+)?$/.test(written))
    return `BigDecimal.fromString("${written}")`;
  if (!/^-?\d+$/.test(written)) return undefined;
  if (scalar === "Int") return written;
  if (scalar !== "BigInt") return undefined;
  return isSmall(node) ? `BigInt.fromI32(${written})` : `BigInt.fromString("${written}")`;
}

/** How a value of a written type is stored; `undefined` for lists and invalid types. */
function scalarOf(type: string): string | undefined {
  if (/^u?fixed(?:\d+x\d+)?$/.test(type)) return "BigDecimal";
  const signature = parseSignature(`f(${type})`);
  const [parameter, ...others] = ("parameters" in signature && signature.parameters) || [];
  if (!parameter || others.length > 0) return undefined;
  const { kind } = parameter.type;
  return kind === "int" || kind === "bool" || kind === "string"
    ? storedType(parameter.type).scalar
    : undefined;
}

function isSmall(node: TreeNode): boolean {
  return node.kind === "number" && Math.abs(node.value) <= 0x7fffffff;
}
