import type { StoreValue } from "../../subgraph/schema/entity.js";

const longest = 80;

/** Formats a value for messages, and shortens it. */
export function showValue(value: StoreValue): string {
  const text = fullText(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

function fullText(value: StoreValue): string {
  switch (value.kind) {
    case "Null":
      return "null";
    case "String":
      return JSON.stringify(value.value);
    case "BigDecimal":
      return `${value.value.digits}e${value.value.exponent}`;
    case "Array":
      return `[${value.value.map(fullText).join(", ")}]`;
    default:
      return String(value.value);
  }
}
