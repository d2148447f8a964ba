/** Types that hold raw bytes; their `toString()` reads these as UTF-8. */
const bytes: ReadonlySet<string> = new Set(["Address", "Bytes", "ByteArray", "Uint8Array"]);
/** Classes whose `==` compares what they hold. */
const comparable: ReadonlySet<string> = new Set([
  "string",
  "BigInt",
  "BigDecimal",
  "Address",
  "Bytes",
  "ByteArray",
]);

/** Whether a type is a number or a truth value, which are never null and compared by `===` as by `==`. */
export function isPrimitive(type: string): boolean {
  return /^(?:[iuf](?:8|16|32|64)|[iu]size|bool|void|null)$/.test(type);
}

/** Whether values of the type can be null. */
export function isNullable(type: string): boolean {
  return type.endsWith(" | null");
}

/** The type without null. */
export function withoutNull(type: string): string {
  return type.replace(/ \| null$/, "");
}

/** Whether a type, or what it is when it is not null, holds raw bytes. */
export function isBytes(type: string): boolean {
  return bytes.has(withoutNull(type));
}

/** Whether `==` compares what two values of the type hold, rather than whether they are the same object. */
export function isComparable(type: string): boolean {
  return comparable.has(withoutNull(type));
}

/** `an Address`, `a string`, `an i32`: the type as people say it. */
export function aType(type: string): string {
  if (isNullable(type)) return `${aType(withoutNull(type))} or null`;
  if (type.includes("=>")) return "a function";
  const name = type.replace(/^ethereum\./, "").replace(/^Array<(.*)>$/, "list of $1");
  return `${/^(?:[aeioAEIO]|f(?:32|64)|u8)/.test(name) && !name.startsWith("u") ? "an" : "a"} ${name}`;
}
