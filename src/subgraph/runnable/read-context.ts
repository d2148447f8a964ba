import type { ManifestNode } from "../manifest/manifest-node.js";
import type { BigDecimal, Entity, StoreValue } from "../schema/entity.js";

/** Reads the context of a data source; empty if the manifest has none. */
export function readContext(node: ManifestNode): Entity {
  const values = node.entries().map(([name, value]): [string, StoreValue] => [name, readValue(value)]);
  return new Map(values.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function readValue(node: ManifestNode): StoreValue {
  const type = node.at("type");
  const data = node.at("data");
  const kind = type.text();
  switch (kind) {
    case "Bool":
      return { kind, value: data.boolean() };
    case "String":
      return { kind, value: data.quotedText() };
    case "Int":
      return { kind, value: Number(integer(data, data.text(), 32)) };
    case "Int8":
      return { kind, value: integer(data, data.text(), 64) };
    case "BigInt":
      return { kind, value: integer(data, data.quotedText()) };
    case "BigDecimal":
      return { kind, value: decimal(data) };
    case "Bytes":
      return { kind, value: bytes(data) };
    case "Timestamp":
      return { kind, value: timestamp(data) };
    case "List":
      return { kind: "Array", value: data.items().map(readValue) };
    default:
      throw type.error(`is ${kind}, which is not a type for context values`);
  }
}

function integer(node: ManifestNode, text: string, bits?: number): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw node.error(`is ${text}, which is not an integer`);
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (bits !== undefined && BigInt.asIntN(bits, value) !== value) {
    throw node.error(`is ${text}, which does not fit in ${bits} bits`);
  }
  return value;
}

function bytes(node: ManifestNode): string {
  const text = node.quotedText();
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) throw node.error(`is ${text}, which is not hexadecimal`);
  return text.toLowerCase();
}

/** A timestamp in microseconds since the Unix epoch. */
function timestamp(node: ManifestNode): bigint {
  const milliseconds = Date.parse(node.text());
  if (Number.isNaN(milliseconds)) throw node.error(`is ${node.text()}, which is not an RFC 3339 time`);
  return BigInt(milliseconds) * 1000n;
}

/** A BigDecimal holds this many digits exactly; longer numbers would be rounded. */
const mostDigits = 34;

function decimal(node: ManifestNode): BigDecimal {
  const text = node.text();
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`;
  if (digits === "") throw node.error(`is ${text}, which is not a decimal`);
  const significant = digits.replace(/^0+/, "").replace(/0+$/, "");
  if (significant.length > mostDigits) throw node.error(`has more than ${mostDigits} digits: ${text}`);
  if (significant === "") return { digits: 0n, exponent: 0 };
  const trailing = digits.length - digits.replace(/0+$/, "").length;
  return {
    digits: BigInt(`${sign === "-" ? "-" : ""}${significant}`),
    exponent: Number(power) - fraction.length + trailing,
  };
}
