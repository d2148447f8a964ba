/** Types of raw bytes, whose `toString()` decodes UTF-8. */
const bytes: ReadonlySet<string> = new Set(["Address", "Bytes", "ByteArray", "Uint8Array"]);
/** Classes whose `==` compares by value. */
const comparable: ReadonlySet<string> = new Set([
  "string",
  "BigInt",
  "BigDecimal",
  "Address",
  "Bytes",
  "ByteArray",
]);

/** Whether a type is a number or boolean, which are never null and for which `===` equals `==`. */
export function isPrimitive(type: string): boolean {
  return /^(?:[iuf](?:8|16|32|64)|[iu]size|bool|void|null)$/.test(type);
}

/** Whether values of the type can be null. */
export function isNullable(type: string): boolean {
  return type.endsWith(" | null");
}

export function withoutNull(type: string): string {
  return type.replace(/ \| null$/, "");
}

/** Whether a type, ignoring null, means raw bytes. */
export function isBytes(type: string): boolean {
  return bytes.has(withoutNull(type));
}

/** Whether `==` on values of the type compares by value rather than by identity. */
export function isComparable(type: string): boolean {
  return comparable.has(withoutNull(type));
}

/** The type with its article: `an Address`, `a string`, `an i32`. */
export function aType(type: string): string {
  if (isNullable(type)) return `${aType(withoutNull(type))} or null`;
  if (type.includes("=>")) return "a function";
  const name = type.replace(/^ethereum\./, "").replace(/^Array<(.*)>$/, "list of $1");
  return `${/^(?:[aeioAEIO]|f(?:32|64)|u8)/.test(name) && !name.startsWith("u") ? "an" : "a"} ${name}`;
}
