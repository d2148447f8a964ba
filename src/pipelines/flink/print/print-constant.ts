import { isNode, type SyntaxNode } from "../../sql/syntax-tree.js";
import { quotedText } from "../sql-text.js";
import { refuse } from "./print-fault.js";

/** The value of TRUE and FALSE, which DuckDB turns into casts. */
export function truthOf({ child, cast_type: type, try_cast: isTry }: SyntaxNode): boolean | undefined {
  if (!isNode(type) || type.id !== "BOOLEAN" || isTry === true) return undefined;
  const value =
    isNode(child) && child.class === "CONSTANT" && isNode(child.value) ? child.value.value : undefined;
  return value === "t" ? true : value === "f" ? false : undefined;
}

/** Prints a constant. @throws PrintFault */
export function constant(value: SyntaxNode, node: SyntaxNode): string {
  if (value.is_null === true) return "NULL";
  const type = isNode(value.type) ? value.type : {};
  const content = value.value;
  switch (type.id) {
    case "VARCHAR":
      if (typeof content === "string") return quotedText(content);
      break;
    case "BOOLEAN":
      if (typeof content === "boolean") return content ? "TRUE" : "FALSE";
      break;
    case "DOUBLE":
      if (typeof content === "number")
        return signed(content.toExponential().toUpperCase().replace("E+", "E"));
      break;
    case "DECIMAL": {
      const scale = isNode(type.type_info) ? Number(type.type_info.scale ?? 0) : 0;
      const digits = integerOf(content);
      if (digits !== undefined) return decimalText(digits, scale);
      break;
    }
    default: {
      const integer = /^(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UBIGINT|UHUGEINT)$/.test(String(type.id))
        ? integerOf(content)
        : undefined;
      if (integer !== undefined) return signed(String(integer));
    }
  }
  return refuse("a value of this type", "write text in quotes, and cast it", node);
}

/** An integer as DuckDB writes it: a number, digits, or two halves of 64 bits. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value === "string") return /^-?\d+$/.test(value) ? BigInt(value) : undefined;
  if (!isNode(value)) return undefined;
  const [upper, lower] = [integerOf(value.upper ?? 0), integerOf(value.lower ?? 0)];
  return upper === undefined || lower === undefined ? undefined : (upper << 64n) + lower;
}

function decimalText(digits: bigint, scale: number): string {
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  const text = scale === 0 ? all : `${all.slice(0, -scale)}.${all.slice(-scale)}`;
  return signed(digits < 0n ? `-${text}` : text);
}

/** Two minus signs in a row would begin a comment. */
function signed(text: string): string {
  return text.startsWith("-") ? `(${text})` : text;
}
