/**
 * Words the peer never uses as they are: `graph codegen` appends `_` to an event, function, parameter or schema
 * field of that name. The list is the peer's, gaps included; the sets below are what it lacks.
 */
export const reservedWords: ReadonlySet<string> = new Set([
  // Statements
  ..."break case catch continue debugger do else finally if return switch throw try while with".split(" "),
  // Declarations
  ..."class const enum export extends function implements import interface let package var".split(" "),
  // Modifiers
  ..."private protected public static".split(" "),
  // Operators and values
  ..."await delete false in new super this true typeof yield".split(" "),
]);

/** The name as the peer's generated code has it: `in` becomes `in_`, most names stay. */
export function escapeReserved(name: string): string {
  return reservedWords.has(name) ? `${name}_` : name;
}

/** What a binding's class cannot be named, on top of the reserved words. Found by compiling each. */
export const unusableClassNames: ReadonlySet<string> = new Set([
  // Words of JavaScript the peer's list lacks; formatting or compiling the file fails
  ..."async default for instanceof null of void".split(" "),
  // Words of TypeScript that do not work as the name of a type
  ..."abstract as declare from get infer is keyof module namespace readonly set type unique".split(" "),
  // A class of that name has a constructor of that name, to the compiler
  "constructor",
  // What every binding imports
  ..."ethereum JSONValue TypedMap Entity Bytes Address BigInt".split(" "),
  // What the code of a binding uses, so that a class of that name would be taken for it
  ..."Array boolean changetype i32 string".split(" "),
]);

/** What a method of the contract class cannot be named: modifiers before its parentheses, and the constructor. */
export const unusableMethodNames: ReadonlySet<string> = new Set([
  "abstract",
  "constructor",
  "declare",
  "readonly",
]);

// After `get` the compiler reads these as something else than a name.
const unusableGetters = ["async", "default", "of", "constructor"];

/** What a parameter of an event cannot be named, on top of the reserved words. */
export const unusableEventParameters: ReadonlySet<string> = new Set([
  ...unusableGetters,
  // The field that holds the event
  "_event",
]);

/** What an input or output of a call handler cannot be named, on top of the reserved words. */
export const unusableCallValues: ReadonlySet<string> = new Set([
  ...unusableGetters,
  // The field that holds the call
  "_call",
]);

/** What a parameter of a contract method cannot be named, on top of the reserved words. */
export const unusableMethodParameters: ReadonlySet<string> = new Set([
  // Words of JavaScript the peer's list lacks
  ..."async default for instanceof null of void".split(" "),
  // What the body of the method uses; `value` is there as well but comes after the last use of the parameter
  ..."BigInt changetype ethereum result".split(" "),
]);

/** What a component of a struct cannot be named. The peer escapes none of them. */
export const unusableComponents: ReadonlySet<string> = new Set([
  ...[...reservedWords].filter((word) => word !== "delete"),
  ...unusableGetters,
  // Of the members of `Array`, which structs are, the one that a getter would really override
  "length",
]);
