import { typescript } from "../../syntax/typescript.js";
import { aType, withoutNull } from "../type-words.js";
import type { TrapRule } from "./trap.js";

/** The classes of bytes, from base class to subclass. */
const lineage = ["Uint8Array", "ByteArray", "Bytes", "Address"];

/** `bytes as Address`: aborts the handler, because the object is of the base class. */
export const unsafeCast: TrapRule = (node, expression) => {
  if (!typescript.isAsExpression(node) && !typescript.isTypeAssertionExpression(node)) return undefined;
  const from = expression.typeOf(node.expression);
  const to = node.type.getText();
  if (from === undefined) return undefined;
  const isDowncast =
    lineage.indexOf(to) > lineage.indexOf(withoutNull(from)) && lineage.includes(withoutNull(from));
  if (!isDowncast) return undefined;
  const trap = {
    code: "unsafe-cast",
    node,
    fact: `casts ${aType(from)} to ${aType(to)}`,
    label: "stops the subgraph: a cast does not convert the value",
  } as const;
  const value = node.expression.getText();
  if (to === "Address" && from === "Bytes") {
    const text = `Address.fromBytes(${value})`;
    return { ...trap, hint: `write ${text}`, fix: [expression.replace(node, text)] };
  }
  const make = to === "Bytes" && from === "ByteArray" ? "Bytes.fromByteArray" : `${to}.fromUint8Array`;
  return { ...trap, hint: `convert it: ${make}(${value})` };
};
