/** A type of ClickHouse that rows of a pipeline can be written into. */
export interface ClickHouseType {
  /** As ClickHouse writes it, without LowCardinality, which only concerns storage. */
  readonly text: string;
  readonly nullable: boolean;
  readonly form: ClickHouseForm;
}

/** The values that a type can hold. */
export type ClickHouseForm =
  | { readonly kind: "string" | "bool" | "datetime" | "strings" }
  | { readonly kind: "fixed"; readonly bytes: number }
  | { readonly kind: "float"; readonly bits: 32 | 64 }
  | { readonly kind: "integer"; readonly bits: number; readonly isSigned: boolean }
  /** `digits` in total, `scale` of them after the decimal point. */
  | { readonly kind: "decimal"; readonly digits: number; readonly scale: number }
  /** `scale` digits of a second. */
  | { readonly kind: "datetime64"; readonly scale: number };

/** Reads a type; `undefined` for another text, and for a type that is not written. */
export function clickHouseType(text: string): ClickHouseType | undefined {
  const written = text.trim();
  const inner = inside(written, "LowCardinality");
  if (inner !== undefined) return clickHouseType(inner);
  const nullable = inside(written, "Nullable");
  const form = formOf(nullable ?? written);
  if (form === undefined || (nullable !== undefined && form.kind === "strings")) return undefined;
  return { text: written, nullable: nullable !== undefined, form };
}

/** The arguments in the parentheses of `Name(…)`. */
function inside(text: string, name: string): string | undefined {
  return text.startsWith(`${name}(`) && text.endsWith(")")
    ? text.slice(name.length + 1, -1).trim()
    : undefined;
}

function formOf(text: string): ClickHouseForm | undefined {
  const plain = plainForms.get(text);
  if (plain) return plain;
  const [, sign, bits] = /^(U?)Int(8|16|32|64|128|256)$/.exec(text) ?? [];
  if (bits !== undefined) return { kind: "integer", bits: Number(bits), isSigned: sign === "" };
  const [, bytes] = /^FixedString\((\d{1,6})\)$/.exec(text) ?? [];
  if (bytes !== undefined) return { kind: "fixed", bytes: Number(bytes) };
  const [, digits, scale] = /^Decimal\((\d{1,2}), ?(\d{1,2})\)$/.exec(text) ?? [];
  if (digits !== undefined)
    return Number(digits) <= 76 && Number(scale) <= Number(digits)
      ? { kind: "decimal", digits: Number(digits), scale: Number(scale) }
      : undefined;
  if (/^DateTime(?:\('[^'\\]*'\))?$/.test(text)) return { kind: "datetime" };
  const [, fraction] = /^DateTime64\(([0-9])(?:, ?'[^'\\]*')?\)$/.exec(text) ?? [];
  return fraction === undefined ? undefined : { kind: "datetime64", scale: Number(fraction) };
}

const plainForms: ReadonlyMap<string, ClickHouseForm> = new Map([
  ["String", { kind: "string" }],
  ["Bool", { kind: "bool" }],
  ["Array(String)", { kind: "strings" }],
  ["Float32", { kind: "float", bits: 32 }],
  ["Float64", { kind: "float", bits: 64 }],
]);
