/**
 * Reserved words of graph-cli: `graph codegen` appends `_` to an event, function, parameter or schema field of that
 * name. The list is graph-cli's, including its gaps; the sets below fill them.
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

/** Escapes a name as graph-cli does: `in` becomes `in_`, most names are unchanged. */
export function escapeReserved(name: string): string {
  return reservedWords.has(name) ? `${name}_` : name;
}

/** Names that a binding's class cannot have, beside the reserved words. All were found by compiling them. */
export const unusableClassNames: ReadonlySet<string> = new Set([
  // JavaScript's reserved words that graph-cli's list lacks; formatting or compiling the file fails
  ..."async default for instanceof null of void".split(" "),
  // TypeScript keywords that cannot name a type
  ..."abstract as declare from get infer is keyof module namespace readonly set type unique".split(" "),
  // The compiler mistakes a class of that name for its constructor
  "constructor",
  // Imports of every binding
  ..."ethereum JSONValue TypedMap Entity Bytes Address BigInt".split(" "),
  // Names that the code of a binding uses, which such a class would shadow
  ..."Array boolean changetype i32 string".split(" "),
]);

/**
 * Names that a method of the contract class cannot have: modifiers before its parentheses, and the
 * constructor.
 */
export const unusableMethodNames: ReadonlySet<string> = new Set([
  "abstract",
  "constructor",
  "declare",
  "readonly",
]);

// Words that the compiler does not accept as a name after `get`.
const unusableGetters = ["async", "default", "of", "constructor"];

/** Names that an event parameter cannot have, beside the reserved words. */
export const unusableEventParameters: ReadonlySet<string> = new Set([
  ...unusableGetters,
  // The field that holds the event
  "_event",
]);

/** Names that an input or output of a call handler cannot have, beside the reserved words. */
export const unusableCallValues: ReadonlySet<string> = new Set([
  ...unusableGetters,
  // The field that holds the call
  "_call",
]);

/** Names that a parameter of a contract method cannot have, beside the reserved words. */
export const unusableMethodParameters: ReadonlySet<string> = new Set([
  // JavaScript's reserved words that graph-cli's list lacks
  ..."async default for instanceof null of void".split(" "),
  // Names that the method's body uses; `value` is one, but is declared after the last use of the parameter
  ..."BigInt changetype ethereum result".split(" "),
]);

/** Names that a struct component cannot have. graph-cli escapes none of them. */
export const unusableComponents: ReadonlySet<string> = new Set([
  ...[...reservedWords].filter((word) => word !== "delete"),
  ...unusableGetters,
  // Structs extend `Array`: its one member that a getter would really override
  "length",
]);
