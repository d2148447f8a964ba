import type { ts } from "ts-morph";
import { typescript } from "../syntax/typescript.js";
import { isNullable } from "./type-words.js";
import { primary } from "./typed-expression.js";

/** The conversion of a value to another type. */
export interface Conversion {
  /** The remedy, in the imperative. */
  readonly hint: string;
  /** The converted value, if the conversion is certain. */
  readonly text?: string;
}

/** A number written like an address or raw bytes, which must be quoted. */
const hexDigits = /^0x(?:[0-9a-fA-F]{2})+$/;
const hexAddress = /^0x[0-9a-fA-F]{40}$/;
const small = new Set(["i8", "i16", "u8", "u16", "i32"]);

/**
 * The most probable conversion from one type to another.
 * @param node the value, if known
 */
export function conversion(from: string, to: string, node?: ts.Expression): Conversion | undefined {
  if (isNullable(from)) return undefined;
  const append = (suffix: string): Conversion => ({
    hint: `append ${suffix}`,
    ...(node && { text: primary(node) + suffix }),
  });
  const wrap = (name: string): Conversion => ({
    hint: node ? `write ${name}(${node.getText()})` : `wrap it: ${name}(…)`,
    ...(node && { text: `${name}(${node.getText()})` }),
  });
  const target = to.replace(/ \| null$/, "");
  const written = node && typescript.isNumericLiteral(node) ? fromHex(node.getText(), target) : undefined;
  if (written) return written;
  switch (target) {
    case "string":
      return toText(from, append);
    case "BigInt":
      return toBigInt(from, wrap, node);
    case "BigDecimal":
      return toBigDecimal(from, append, node);
    case "Address":
      return toAddress(from, wrap, node);
    case "ByteArray":
    case "Bytes":
      return toBytes(from, wrap, node);
    case "u8":
      return small.has(from) ? { hint: "append as u8, for a number below 256" } : undefined;
    case "i32":
      return toInteger(from, node);
    case "bool":
      return toTruth(from, node);
    case "Array<Bytes>":
      return from === "Array<Address>" ? wrap("changetype<Bytes[]>") : undefined;
    default:
      return toList(from, target, append);
  }
}

/** Hex digits as long as an address or longer: never meant as a number. */
function fromHex(digits: string, target: string): Conversion | undefined {
  if (!hexDigits.test(digits) || digits.length < "0x".length + 40) return undefined;
  const isAddress = hexAddress.test(digits);
  const write = (text: string): Conversion => ({ hint: `write ${text}`, text });
  if (target === "string") return write(`"${digits.toLowerCase()}"`);
  if (/^(?:Address|Bytes|ByteArray)$/.test(target) && isAddress)
    return write(`Address.fromString("${digits}")`);
  return /^(?:Bytes|ByteArray)$/.test(target) ? write(`Bytes.fromHexString("${digits}")`) : undefined;
}

function toList(from: string, to: string, append: Make): Conversion | undefined {
  const [given, wanted] = [elementOf(from), elementOf(to)];
  if (given === undefined || wanted === undefined) return undefined;
  const element = convertedElement(given, wanted);
  if (element === undefined) return undefined;
  return append(`.map<${wanted}>((x: ${given}): ${wanted} => ${element})`);
}

function elementOf(type: string): string | undefined {
  return /^Array<(\w+)>$/.exec(type)?.[1];
}

/** The conversion of an item `x`. */
function convertedElement(from: string, to: string): string | undefined {
  const append: Make = (suffix) => ({ hint: "", text: `x${suffix}` });
  const wrap: Make = (name) => ({ hint: "", text: `${name}(x)` });
  if (to === "string") return toText(from, append)?.text;
  if (to === "BigInt") return toBigInt(from, wrap, undefined)?.text;
  return to === "BigDecimal" ? toBigDecimal(from, append, undefined)?.text : undefined;
}

type Make = (text: string) => Conversion;

function toText(from: string, append: Make): Conversion | undefined {
  if (/^(?:Address|Bytes|ByteArray)$/.test(from)) return append(".toHexString()");
  if (/^(?:BigInt|BigDecimal|bool|[iuf](?:8|16|32|64))$/.test(from)) return append(".toString()");
  return undefined;
}

function toBigInt(from: string, wrap: Make, node: ts.Expression | undefined): Conversion | undefined {
  const isDigits = node && /^\d+$/.test(node.getText());
  if (from === "i64" && isDigits) {
    const text = `BigInt.fromString("${node.getText()}")`;
    return { hint: `write ${text}`, text };
  }
  const power = node && /^(\d+)\s*\*\*\s*(\d+)$/.exec(node.getText());
  if (power && Number(power[1]) <= 0x7fffffff && Number(power[2]) < 256) {
    const text = `BigInt.fromI32(${power[1]}).pow(${power[2]})`;
    return { hint: `write ${text}`, text };
  }
  if (from === "u32" && isDigits) return wrap("BigInt.fromU32");
  if (small.has(from)) return wrap("BigInt.fromI32");
  if (from === "i64") return wrap("BigInt.fromI64");
  if (from === "u64") return wrap("BigInt.fromU64");
  if (from === "string") {
    const literal = node && typescript.isStringLiteral(node) && /^-?\d+$/.test(node.text);
    const hint = "wrap it: BigInt.fromString(…), which stops the subgraph if it is not a number";
    return literal ? wrap("BigInt.fromString") : { hint };
  }
  return undefined;
}

function toBigDecimal(from: string, append: Make, node: ts.Expression | undefined): Conversion | undefined {
  if (from === "BigInt") return append(".toBigDecimal()");
  if (node && /^\d+(?:\.\d+)?$/.test(node.getText())) {
    const text = `BigDecimal.fromString("${node.getText()}")`;
    return { hint: `write ${text}`, text };
  }
  if (!small.has(from)) return undefined;
  if (!node) return { hint: "wrap it: BigInt.fromI32(…).toBigDecimal()" };
  const text = `BigInt.fromI32(${node.getText()}).toBigDecimal()`;
  return { hint: `write ${text}`, text };
}

function toAddress(from: string, wrap: Make, node: ts.Expression | undefined): Conversion | undefined {
  if (from === "string") {
    const literal = node && typescript.isStringLiteral(node) && hexAddress.test(node.text);
    return literal ? wrap("Address.fromString") : { hint: "wrap it: Address.fromString(…)" };
  }
  const hint = "wrap it: Address.fromBytes(…), which stops the subgraph unless it has 20 bytes";
  return from === "Bytes" ? { hint } : undefined;
}

/** A hex string, which is an address if it has 20 bytes. */
function toBytes(from: string, wrap: Make, node: ts.Expression | undefined): Conversion | undefined {
  if (from !== "string" || !node || !typescript.isStringLiteral(node)) return undefined;
  if (!hexDigits.test(node.text)) return undefined;
  return wrap(node.text.length === 42 ? "Address.fromString" : "Bytes.fromHexString");
}

function toTruth(from: string, node: ts.Expression | undefined): Conversion | undefined {
  if (small.has(from)) return { hint: "compare it with a number, such as != 0" };
  if (from === "BigInt" && node) return { hint: `compare it, such as ${primary(node)} != BigInt.zero()` };
  return undefined;
}

function toInteger(from: string, node: ts.Expression | undefined): Conversion | undefined {
  if (node && typescript.isNumericLiteral(node)) {
    return { hint: `declare the field with a larger type, such as ${from === "f64" ? "fixed" : "int256"}` };
  }
  if (from === "BigInt")
    return { hint: "append .toI32(), which stops the subgraph if the number is too large" };
  if (/^(?:f32|f64|i64|u32|u64)$/.test(from))
    return { hint: "wrap it: i32(…), which truncates larger numbers" };
  return undefined;
}
