import { assemblyType } from "../../abi/assembly-type.js";
import type { BoundMethod, BoundParameter } from "../../abi/bound-abi.js";
import { arrayDepth, elementType, fitsI32, type SolidityType } from "../../abi/solidity-type.js";
import { encoder, readerName } from "../bindings/ethereum-value.js";
import type { ModuleScope } from "./module-scope.js";

/**
 * View of an encoder: a function that calls a method whose generated binding encodes its arguments wrongly.
 */
export interface EncoderView {
  readonly name: string;
  readonly typeParameters: string;
  /** The ABI's name in the manifest, for graph-node. */
  readonly contract: string;
  readonly parameters: readonly string[];
  readonly functionName: string;
  readonly signature: string;
  readonly args: readonly string[];
  readonly resultType: string;
  readonly result: string;
}

/**
 * The encoders of one mapping file. graph-cli's bindings encode fixed-size lists, lists of small unsigned
 * integers, and structs in ways that graph-node refuses at run time. Such calls use an encoder instead.
 */
export class EncoderHelpers {
  readonly #scope: ModuleScope;
  readonly #views = new Map<string, EncoderView>();

  constructor(scope: ModuleScope) {
    this.#scope = scope;
  }

  /** The name of the encoder for a method. */
  helperFor(method: BoundMethod, contract: string): string {
    const key = `${contract} ${method.signature}`;
    const known = this.#views.get(key);
    if (known) return known.name;
    const view = this.#view(method, contract);
    this.#views.set(key, view);
    return view.name;
  }

  views(): readonly EncoderView[] {
    return [...this.#views.values()];
  }

  #view(method: BoundMethod, contract: string): EncoderView {
    const scope = this.#scope;
    const parameters = method.inputs.map((input, index) => ({
      type: input.type,
      name: `argument${index}`,
      index,
    }));
    scope.graphTs("ethereum");
    scope.graphTs("Address");
    if (method.inputs.some(({ type }) => isSmallUnsigned(elementType(type)))) scope.graphTs("BigInt");
    const structLists = parameters.filter(
      ({ type }) => type.kind === "array" && elementType(type).kind === "tuple",
    );
    return {
      name: scope.own(`try${method.name.charAt(0).toUpperCase()}${method.name.slice(1)}`),
      typeParameters:
        structLists.length > 0 ? `<${structLists.map(({ index }) => `T${index}`).join(", ")}>` : "",
      contract,
      parameters: parameters.map(
        ({ name, type, index }) => `${name}: ${argumentType(type, `T${index}`, scope)}`,
      ),
      functionName: method.fn.name,
      signature: method.signature,
      args: parameters.map(({ name, type }) => encodeValue(name, type)),
      resultType: scope.type(method.resultType, contract),
      result: decodeResult(method, contract, scope),
    };
  }
}

function isSmallUnsigned(type: SolidityType): boolean {
  return type.kind === "int" && !type.signed && fitsI32(type);
}

/**
 * The type of an argument. A struct's is a list of `ethereum.Value`s, its members: every struct of every
 * binding is such a list.
 */
function argumentType(type: SolidityType, structList: string, scope: ModuleScope): string {
  if (type.kind === "tuple") return "Array<ethereum.Value>";
  if (type.kind !== "array") return scope.type(assemblyType(type), "");
  const item = type.of.kind === "tuple" ? structList : argumentType(type.of, structList, scope);
  return `Array<${item}>`;
}

function encodeValue(value: string, type: SolidityType): string {
  switch (type.kind) {
    case "array": {
      const item = arrayDepth(type) > 1 ? "list" : "item";
      const items = `${value}.map<ethereum.Value>((${item}) => ${encodeValue(item, type.of)})`;
      return type.length === null
        ? `ethereum.Value.fromArray(${items})`
        : `ethereum.Value.fromFixedSizedArray(${items})`;
    }
    case "tuple":
      return `ethereum.Value.fromTuple(changetype<ethereum.Tuple>(${value}))`;
    default:
      return isSmallUnsigned(type)
        ? `ethereum.Value.fromUnsignedBigInt(BigInt.fromI32(${value}))`
        : `ethereum.Value.from${encoder(type)}(${value})`;
  }
}

function decodeResult(method: BoundMethod, contract: string, scope: ModuleScope): string {
  const values = method.outputs.map((output, index) =>
    decodeValue(`value[${index}]`, output, contract, scope),
  );
  if (!method.resultClass) return values[0] ?? "";
  return `new ${scope.bindingClass(method.resultClass, contract)}(${values.join(", ")})`;
}

function decodeValue(
  value: string,
  { type, struct }: BoundParameter,
  contract: string,
  scope: ModuleScope,
): string {
  const read = `${value}.to${readerName(type)}`;
  if (!struct) return `${read}()`;
  const structClass = scope.bindingClass(struct.className, contract);
  return type.kind === "tuple" ? `changetype<${structClass}>(${read}())` : `${read}<${structClass}>()`;
}
