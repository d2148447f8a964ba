// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are AssemblyScript expressions
import type { CatalogEntry } from "./entry.js";

/** Codes for expressions that compile but do something unexpected. */
export const trapCodes = {
  "null-comparison": {
    title: "a comparison with null is compiled as === or !==",
    explanation:
      "AssemblyScript's compiler crashes on == null for nullable numbers and bytes. The operator === means the same for every type, so graphloom compiles the comparison that way. No action is needed; graphloom check --fix also changes the configuration.",
    example: { wrong: `"calls.total == null ? … : …"`, right: `"calls.total === null ? … : …"` },
  },
  "identity-comparison": {
    title: "a comparison by identity instead of value",
    explanation:
      "The operator === tests whether both sides are the same object in memory. Two equal strings, numbers or addresses are different objects, so the result is always false. Write ==, which compares their values.",
    example: {
      wrong: `"event.params.from === Address.zero()"`,
      right: `"event.params.from == Address.zero()"`,
    },
  },
  "bytes-as-text": {
    title: "bytes are decoded as text",
    explanation:
      "The method toString() decodes addresses and bytes as UTF-8, and so does a template literal. For an address, this stores unreadable characters in the entity. Write toHexString().",
    example: {
      wrong: `"event.params.from.toString()"`,
      right: `"event.params.from.toHexString()"`,
    },
  },
  "upper-case-hex": {
    title: "a comparison with upper-case hex digits",
    explanation:
      "Addresses and hashes converted to text are always lower case. A text with capital letters therefore never equals one. Write the text in lower case, or compare addresses instead of texts.",
    example: {
      wrong: `"event.params.to.toHexString() == \\"0xAb…\\""`,
      right: `"event.params.to.toHexString() == \\"0xab…\\""`,
    },
  },
  "unsafe-cast": {
    title: "a cast that fails at run time",
    explanation:
      "A cast asserts the class of an object; it does not convert it. Bytes are not an instance of Address, so the cast stops the subgraph at the first event. Convert the value, for example with Address.fromBytes().",
    example: { wrong: `"calls.data! as Address"`, right: `"Address.fromBytes(calls.data!)"` },
  },
  "constant-condition": {
    title: "a condition that is always true",
    explanation:
      "Used as a condition, an object is only tested for null. This one is never null, so the condition is true even for zero, an empty string or an empty list. Compare its value.",
    example: {
      wrong: `"event.params.value ? … : …"`,
      right: `"event.params.value != BigInt.zero() ? … : …"`,
    },
  },
  "number-overflow": {
    title: "a number does not fit",
    explanation:
      "In AssemblyScript, number literals are 32-bit integers. Above 2147483647 they wrap around to -2147483648, and a division drops the remainder. A cast, and a conversion between types with and without a sign, keep the lowest bits. Compute with BigInt or BigDecimal; docs/conversions.md lists all cases. The range of a field or an argument is not enforced either: 300 in a uint8 stays 300. Declare a type that can hold the number.",
    example: {
      wrong: `"BigInt.fromI32(10 ** 18)"`,
      right: `"BigInt.fromI32(10).pow(18)"`,
    },
  },
  "may-abort": {
    title: "an expression can stop the subgraph",
    explanation:
      "A non-null assertion fails on null, an element access fails if the list is too short, and parsing a number fails on other text. Such a failure stops the subgraph at that block until you deploy a new version. Handle the case in the expression, or exclude it with a condition.",
    example: {
      wrong: `"calls.total!"`,
      right: `"calls.total === null ? BigInt.zero() : calls.total!"`,
    },
  },
  "unassigned-variable": {
    title: "a variable has no value",
    explanation:
      "A variable with a non-nullable type must have a value, but the compiler does not enforce this. Reading it before it is set stops the subgraph. Give it a value where it is declared.",
    example: { wrong: `"let sum: BigInt;"`, right: `"let sum = BigInt.zero();"` },
  },
  "expression-doubtful": {
    title: "AssemblyScript warns about an expression",
    explanation:
      "The compiler accepts the expression but warns about it, for example because it compares a number with null. The result is probably not what you mean. The note quotes the compiler; rewrite the expression to avoid the warning.",
    example: { wrong: `"count int32": "null"`, right: `"count int32": "0"` },
  },
} as const satisfies Record<string, CatalogEntry>;
