/**
 * Names that may break generated code. They are written out here, not taken from `reserved-words.ts`, so that the
 * tests find a word that is missing there.
 */
export const words: readonly string[] = [
  // JavaScript
  "arguments async await break case catch class const continue debugger default delete do else enum eval export",
  "extends false finally for function if implements import in instanceof interface let new null of package private",
  "protected public return static super switch this throw true try typeof undefined var void while with yield",
  // TypeScript
  "abstract accessor any as asserts bigint boolean constructor declare from get global infer intrinsic is keyof",
  "module namespace never number object out override readonly require satisfies set string symbol type unique",
  "unknown using",
  // AssemblyScript
  "anyref auto bool changetype f32 f64 i16 i32 i64 i8 idof isize load memory nameof native offset select sizeof",
  "store u16 u32 u64 u8 unchecked unreachable usize v128",
  // Global objects
  "Array ArrayBuffer Boolean Date Error Function I32 Map Math Number Object Set String Symbol",
  // graph-ts
  "Address BigDecimal BigInt Block ByteArray Bytes Call CallResult Entity Event JSONValue Log Result SmartContract",
  "Transaction Tuple TypedMap Value crypto dataSource ethereum ipfs json log",
  // Members of the classes that bindings extend
  "_address _call _event _name address bind block buffer byteLength call dataStart every fill inputs length length_",
  "logIndex map outputs parameters params pop push slice sort toMap toString transaction tryCall value0 values",
  // Variables and fields of bindings
  "map result value value0",
  // Names of Object, which our own tables must not contain
  "__defineGetter__ __proto__ hasOwnProperty isPrototypeOf prototype valueOf",
  // Ordinary names
  "$ _ A a get_ transfer",
].flatMap((line) => line.split(" "));
