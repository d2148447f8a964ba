import { typescript } from "../../syntax/typescript.js";
import { aType, isBytes, withoutNull } from "../type-words.js";
import { primary } from "../typed-expression.js";
import type { TrapRule } from "./trap.js";

const note = "if the bytes are UTF-8 text, write String.UTF8.decode(….buffer)";

/** `address.toString()` and `${address}`: decodes the bytes as UTF-8, which gives garbage unless they are text. */
export const bytesAsText: TrapRule = (node, expression) => {
  if (
    typescript.isCallExpression(node) &&
    node.arguments.length === 0 &&
    typescript.isPropertyAccessExpression(node.expression)
  ) {
    const { expression: object, name } = node.expression;
    const type = expression.typeOf(object);
    if (name.text !== "toString" || type === undefined || !isBytes(type)) return undefined;
    return {
      code: "bytes-as-text",
      node: name,
      fact: `decodes ${aType(withoutNull(type))} as text`,
      label: "decodes the bytes as UTF-8, not as hex",
      notes: withoutNull(type) === "Address" ? [] : [note],
      hint: "write toHexString",
      fix: [expression.replace(name, "toHexString")],
    };
  }
  if (!typescript.isTemplateSpan(node)) return undefined;
  const type = expression.typeOf(node.expression);
  if (type === undefined || !isBytes(type)) return undefined;
  const text = `${primary(node.expression)}.toHexString()`;
  return {
    code: "bytes-as-text",
    node: node.expression,
    fact: `decodes ${aType(withoutNull(type))} as text`,
    label: "inserted as UTF-8, not as hex",
    notes: withoutNull(type) === "Address" ? [] : [note],
    hint: "append .toHexString()",
    fix: [expression.replace(node.expression, text)],
  };
};
