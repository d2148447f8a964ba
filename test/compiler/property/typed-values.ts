// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of another language
import type { JsonEntry, JsonParameter } from "../abi/abi-of.js";

/** The names in scope in event handlers, or in call handlers. */
export interface Scope {
  readonly trigger: "event" | "call";
  /** The object that holds the parameters. */
  readonly parameters: string;
  /** The address of the contract. */
  readonly contract: string;
}

export const eventScope: Scope = {
  trigger: "event",
  parameters: "event.params",
  contract: "event.address",
};
export const callScope: Scope = { trigger: "call", parameters: "call.inputs", contract: "call.to" };

/** A key and a value of a mapping. A name has the same type everywhere. */
export type Field = readonly [key: string, value: string];

/** Fields that are valid with every trigger. */
export function plainFields({ trigger, contract }: Scope): readonly Field[] {
  const fields: Field[] = [
    ["block uint256", `${trigger}.block.number`],
    ["next uint", `${trigger}.block.number.plus(BigInt.fromI32(1))`],
    ["who address", `${contract}.toHexString()`],
    ["sender address", `${trigger}.transaction.to === null ? "" : ${trigger}.transaction.to!.toHexString()`],
    ["text string", '"a" + "b" /* c */'],
    ["mixed string", `\`\${${trigger}.block.number}-é😀"'\``],
    ["flag bool", `${contract} == Address.zero()`],
    ["small int8", `${trigger}.block.number.toI32() % 7`],
    ["raw bytes", contract],
    ["hash bytes32", `${trigger}.transaction.hash`],
    ["list uint256[]", `[${trigger}.block.number]`],
    ["names string[]", '["a", "b"]'],
    ["flags bool[]", "[true, false]"],
    ["raws bytes[]", `[changetype<Bytes>(${contract})]`],
    ["ratio ufixed", "BigDecimal.zero()"],
    ["share fixed", `${trigger}.block.number.toBigDecimal() / BigInt.fromI32(10).pow(18).toBigDecimal()`],
    ["parent string", "entity.id"],
    ["sum uint256", "((a: i32): BigInt => BigInt.fromI32(a + 1))(1)"],
  ];
  return trigger === "call"
    ? fields
    : [...fields, ["gas uint256", "event.receipt!.gasUsed"], ["at int24", "event.logIndex.toI32()"]];
}

/** Fields that each store a parameter, for the parameters with a distinct name and a simple type. */
export function parameterFields({ inputs = [] }: JsonEntry, { parameters }: Scope): readonly Field[] {
  return inputs.flatMap((input): Field[] => {
    const isPlain = /^_?[a-z]+[A-Z]\w*$|^(from|to|value|amount|token[01]?|owner)$/.test(input.name ?? "");
    const isAlone = inputs.filter(({ name }) => name === input.name).length === 1;
    if (!isPlain || !isAlone) return [];
    const type = input.indexed && isLong(input) ? "bytes" : input.type;
    const value = stored(`${parameters}.${input.name}`, type);
    return value === undefined ? [] : [[`${keyOf("kept", type)} ${type}`, value]];
  });
}

/** The field that stores the only result of a call; `undefined` when its type is not simple. */
export function resultField({ outputs = [] }: JsonEntry, ref: string): readonly Field[] {
  const [output, ...others] = outputs;
  if (output === undefined || others.length > 0) return [];
  const result = `calls.${ref}`;
  if (output.type === "address")
    return [["found address", `${result} === null ? "" : ${result}!.toHexString()`]];
  return isScalar(output.type) ? [[`${keyOf("found", output.type)} ${output.type}`, result]] : [];
}

const isLong = ({ type }: JsonParameter): boolean =>
  type === "string" || type === "bytes" || type.endsWith("]") || type === "tuple";

const isScalar = (type: string): boolean => /^(u?int\d+|bool|string|bytes\d*)$/.test(type);

const keyOf = (word: string, type: string): string => `${word}_${type.replaceAll(/\W+/g, "s")}`;

function stored(value: string, type: string): string | undefined {
  if (type === "address") return `${value}.toHexString()`;
  if (type === "address[]") return `${value}.map<string>((a) => a.toHexString())`;
  return isScalar(type) || /^(uint256|string|bytes32)\[\]$/.test(type) ? value : undefined;
}

/** Arguments for a function whose parameters are all simple; otherwise `undefined`. */
export function argumentsFor({ inputs = [] }: JsonEntry, scope: Scope): string | undefined {
  const values = inputs.map(({ type }) => argumentOf(type, scope));
  return values.includes(undefined) ? undefined : values.join(", ");
}

function argumentOf(type: string, { trigger, contract }: Scope): string | undefined {
  if (type === "address") return contract;
  if (type === "bool") return "true";
  if (type === "string") return '"a, (b"';
  if (type === "bytes32") return `${trigger}.transaction.hash`;
  if (type === "bytes") return "Bytes.empty()";
  if (type === "bytes4") return 'Bytes.fromHexString("0x01ffc9a7")';
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (bits === undefined) return undefined;
  return Number(bits) > (unsigned ? 24 : 32) ? "BigInt.fromI32(1)" : "1";
}
