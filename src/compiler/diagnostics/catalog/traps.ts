// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of another language
import type { CatalogEntry } from "./entry.js";

/** Codes of expressions that compile but do not mean what they seem to. */
export const trapCodes = {
  "null-comparison": {
    title: "a comparison with null is compiled as === or !==",
    explanation:
      "AssemblyScript's compiler crashes on == null for numbers and bytes that can be null. Written with === it means the same for every type, so it is compiled like that. Nothing needs to be done; graphloom check --fix changes the configuration too.",
    example: { wrong: `"calls.total == null ? … : …"`, right: `"calls.total === null ? … : …"` },
  },
  "identity-comparison": {
    title: "objects are compared, not what they hold",
    explanation:
      "The operator === asks whether both sides are the same object in memory. Two texts, numbers or addresses that are equal are different objects, so the answer is no whatever they hold. Write ==, which compares what they hold.",
    example: {
      wrong: `"event.params.from === Address.zero()"`,
      right: `"event.params.from == Address.zero()"`,
    },
  },
  "bytes-as-text": {
    title: "bytes are read as text",
    explanation:
      "The method toString() of addresses and bytes reads them as UTF-8, and so does a template literal. For an address that gives unreadable characters, which end up in the entity. Write toHexString().",
    example: {
      wrong: `"event.params.from.toString()"`,
      right: `"event.params.from.toHexString()"`,
    },
  },
  "upper-case-hex": {
    title: "a comparison with hex digits in capitals",
    explanation:
      "Addresses and hashes as text are always in lower case in a subgraph. A text with capitals is therefore never equal to one. Write the text in lower case, or compare addresses instead of texts.",
    example: {
      wrong: `"event.params.to.toHexString() == \\"0xAb…\\""`,
      right: `"event.params.to.toHexString() == \\"0xab…\\""`,
    },
  },
  "unsafe-cast": {
    title: "a cast that fails when it is run",
    explanation:
      "A cast says of which class an object is, it does not make another object. Bytes are not of the class Address, so the cast ends the subgraph with an error at the first event. Convert the value, for example with Address.fromBytes().",
    example: { wrong: `"calls.data! as Address"`, right: `"Address.fromBytes(calls.data!)"` },
  },
  "constant-condition": {
    title: "a condition that is always true",
    explanation:
      "As a condition, an object only says whether it is null. This one never is, so the condition holds even for zero, for an empty text and for an empty list. Compare what it holds.",
    example: {
      wrong: `"event.params.value ? … : …"`,
      right: `"event.params.value != BigInt.zero() ? … : …"`,
    },
  },
  "number-overflow": {
    title: "a number does not fit",
    explanation:
      "Numbers that are written out are integers of 32 bits in AssemblyScript. Beyond 2147483647 they begin again at -2147483648, and a division drops what is left. Compute with BigInt or BigDecimal. Nothing holds a field or an argument to its type either: 300 in a uint8 stays 300. Declare a type that holds the number.",
    example: {
      wrong: `"BigInt.fromI32(86400000 * 365)"`,
      right: `"BigInt.fromI32(86400000).times(BigInt.fromI32(365))"`,
    },
  },
  "may-abort": {
    title: "an expression can stop the subgraph",
    explanation:
      "The mark that says a value is not null fails when it is, an element fails when the list is too short, and a number fails when the text is none. Such a failure stops the subgraph at that block until it is deployed anew. Say what is to happen in that case, or exclude it with a condition.",
    example: {
      wrong: `"calls.total!"`,
      right: `"calls.total === null ? BigInt.zero() : calls.total!"`,
    },
  },
  "unassigned-variable": {
    title: "a variable has no value",
    explanation:
      "A variable whose type has no null must not be without a value, but the compiler allows it. Reading it before it is set ends the subgraph. Give it a value where it is declared.",
    example: { wrong: `"let sum: BigInt;"`, right: `"let sum = BigInt.zero();"` },
  },
  "expression-doubtful": {
    title: "AssemblyScript doubts an expression",
    explanation:
      "The compiler accepts the expression and warns of it, for example because a number is compared with null. What comes out is probably not what is meant. The note has the compiler's words; write the expression so that it has no such part.",
    example: { wrong: `"count int32": "null"`, right: `"count int32": "0"` },
  },
} as const satisfies Record<string, CatalogEntry>;
