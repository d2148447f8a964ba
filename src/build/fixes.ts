/** What to do about a type error, where it is certain. First fit wins. */
const fixes: readonly { readonly message: RegExp; readonly hint: string }[] = [
  {
    message: /'(?:Address|Bytes|ByteArray)' is not assignable to type 'string'/,
    hint: "append .toHexString()",
  },
  { message: /'BigInt' is not assignable to type 'string'/, hint: "append .toString()" },
  { message: /'i32' is not assignable to type 'BigInt'/, hint: "wrap the number: BigInt.fromI32(…)" },
  {
    message: /'BigInt' is not assignable to type 'i32'/,
    hint: "append .toI32(), which aborts when the number is too large",
  },
  { message: /'BigInt' is not assignable to type 'BigDecimal'/, hint: "append .toBigDecimal()" },
  { message: /'string' is not assignable to type 'Address'/, hint: "wrap the text: Address.fromString(…)" },
  {
    message: /'(.+) \| null' is not assignable to type '\1'|Object is possibly null/,
    hint: 'mark the call "required": true, or say what null means: calls.x === null ? … : calls.x!',
  },
];

/**
 * The fix for a type error of the AssemblyScript compiler, where there is one we would bet on.
 * @param code such as `TS2322`
 */
export function fixFor(code: string, message: string): string | undefined {
  if (code === "TS2304")
    return "the names in scope are event (or call), entity, calls and what graph-ts exports";
  return fixes.find((fix) => fix.message.test(message))?.hint;
}
