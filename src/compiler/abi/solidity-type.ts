/** A parsed Solidity type. A type that generated code cannot express becomes `unsupported`, with its text. */
export type SolidityType =
  | { readonly kind: "address" }
  | { readonly kind: "bool" }
  | { readonly kind: "string" }
  | { readonly kind: "bytes" }
  | { readonly kind: "fixedBytes"; readonly size: number }
  | { readonly kind: "int"; readonly signed: boolean; readonly bits: number }
  | { readonly kind: "array"; readonly of: SolidityType; readonly length: bigint | null }
  | { readonly kind: "tuple"; readonly components: readonly Parameter[] }
  | { readonly kind: "unsupported"; readonly text: string };

/** An input, an output or a struct component. */
export interface Parameter {
  /** Name in the ABI; empty if unnamed. */
  readonly name: string;
  readonly type: SolidityType;
  /** Only true for event inputs. */
  readonly indexed: boolean;
}

export type TupleType = Extract<SolidityType, { kind: "tuple" }>;
export type ArrayType = Extract<SolidityType, { kind: "array" }>;

/** Limit of array dimensions, above any real contract; the rest of the type is not parsed. */
const mostDimensions = 32;

/**
 * Parses the `type` of an ABI entry. `uint` and `int` become 256 bits, `byte` becomes `bytes1`.
 * @param text such as `uint256[2][]` or `tuple[]`
 * @param components the parsed `components`, for tuples
 */
export function parseSolidityType(text: string, components: readonly Parameter[] = []): SolidityType {
  if (text.split("[").length > mostDimensions) return { kind: "unsupported", text };
  const array = /^(.*)\[(\d*)\]$/s.exec(text);
  if (array) {
    const of = parseSolidityType(array[1] as string, components);
    if (of.kind === "unsupported") return { kind: "unsupported", text };
    return { kind: "array", of, length: array[2] === "" ? null : BigInt(array[2] ?? "") };
  }
  switch (text) {
    case "address":
    case "address payable":
      return { kind: "address" };
    case "bool":
    case "string":
    case "bytes":
      return { kind: text };
    case "byte":
      return { kind: "fixedBytes", size: 1 };
    case "tuple":
      return { kind: "tuple", components };
  }
  const bytes = /^bytes([1-9]\d?)$/.exec(text);
  if (bytes && Number(bytes[1]) <= 32) return { kind: "fixedBytes", size: Number(bytes[1]) };
  const int = /^(u?)int(\d{0,3})$/.exec(text);
  if (int) {
    const bits = int[2] === "" ? 256 : Number(int[2]);
    if (bits >= 8 && bits <= 256 && bits % 8 === 0 && !int[2]?.startsWith("0")) {
      return { kind: "int", signed: int[1] === "", bits };
    }
  }
  return { kind: "unsupported", text };
}

/** The type as written in signatures: tuples expanded, no spaces, no names. */
export function canonicalType(type: SolidityType): string {
  switch (type.kind) {
    case "address":
    case "bool":
    case "string":
    case "bytes":
      return type.kind;
    case "fixedBytes":
      return `bytes${type.size}`;
    case "int":
      return `${type.signed ? "" : "u"}int${type.bits}`;
    case "array":
      return `${canonicalType(type.of)}[${type.length ?? ""}]`;
    case "tuple":
      return `(${type.components.map((component) => canonicalType(component.type)).join(",")})`;
    case "unsupported":
      return type.text;
  }
}

/** The type as in an ABI file: `tuple[]` rather than `(address)[]`. */
export function abiTypeText(type: SolidityType): string {
  if (type.kind === "array") return `${abiTypeText(type.of)}[${type.length ?? ""}]`;
  return type.kind === "tuple" ? "tuple" : canonicalType(type);
}

/** The type without its array dimensions. */
export function elementType(type: SolidityType): Exclude<SolidityType, ArrayType> {
  let inner = type;
  while (inner.kind === "array") inner = inner.of;
  return inner;
}

/** Number of array dimensions: 0 for a plain value. */
export function arrayDepth(type: SolidityType): number {
  return type.kind === "array" ? 1 + arrayDepth(type.of) : 0;
}

/**
 * Whether AssemblyScript represents the integer as i32 (graph-cli's rule: int8 to int32, uint8 to uint24).
 */
export function fitsI32(type: SolidityType): boolean {
  return type.kind === "int" && (type.signed ? type.bits <= 32 : type.bits <= 24);
}

/** The range of an integer type; `undefined` for other types. */
export function integerRange(
  type: SolidityType,
): { readonly lowest: bigint; readonly highest: bigint } | undefined {
  if (type.kind !== "int") return undefined;
  const bits = BigInt(type.signed ? type.bits - 1 : type.bits);
  return { lowest: type.signed ? -(2n ** bits) : 0n, highest: 2n ** bits - 1n };
}

/** Whether AssemblyScript represents the value, an item or a member as i32. */
export function holdsI32(type: SolidityType): boolean {
  const element = elementType(type);
  return element.kind === "tuple"
    ? element.components.some((component) => holdsI32(component.type))
    : fitsI32(element);
}

/** Whether only a hash of the value is logged when it is an indexed event parameter. */
export function isHashedWhenIndexed(type: SolidityType): boolean {
  return type.kind === "string" || type.kind === "bytes" || type.kind === "array" || type.kind === "tuple";
}
