import { present } from "../../../base/invariant.js";
import { assemblyType } from "../../abi/assembly-type.js";
import type { BoundMethod, BoundParameter } from "../../abi/bound-abi.js";
import {
  arrayDepth,
  elementType,
  fitsI32,
  holdsI32,
  integerRange,
  type SolidityType,
} from "../../abi/solidity-type.js";
import { encoder, readerName } from "../bindings/ethereum-value.js";
import type { ModuleScope } from "./module-scope.js";

/** View of a helper: a function that makes a call for which the generated binding is not sufficient. */
export interface CallHelperView {
  readonly name: string;
  readonly doc: string;
  readonly typeParameters: string;
  /** The ABI's name in the manifest, for graph-node. */
  readonly contract: string;
  readonly parameters: readonly string[];
  readonly functionName: string;
  readonly signature: string;
  readonly args: readonly string[];
  readonly resultType: string;
  /** Conditions under which the answer does not fit its type, one per line; all but the last end in `||`. */
  readonly tests: readonly string[];
  /** The condition if there is only one, printed on the line of the null test; otherwise empty. */
  readonly onlyTest: string;
  readonly result: string;
}

/**
 * The helpers of one mapping file. graph-cli's bindings encode fixed-size lists, lists of small unsigned integers,
 * and structs in ways that graph-node refuses at run time. They also abort the handler if an answer does not fit into
 * an i32, and wrap it around between 2³¹ and 2³². Such calls use a helper instead.
 */
export class CallHelpers {
  readonly #scope: ModuleScope;
  readonly #views = new Map<string, CallHelperView>();
  #rangeTest: string | undefined;

  constructor(scope: ModuleScope) {
    this.#scope = scope;
  }

  helperFor(method: BoundMethod, contract: string): string {
    const key = `${contract} ${method.signature}`;
    const known = this.#views.get(key);
    if (known) return known.name;
    const view = this.#view(method, contract);
    this.#views.set(key, view);
    return view.name;
  }

  views(): readonly CallHelperView[] {
    return [...this.#views.values()];
  }

  /** The name of the function that tests an integer's range; empty if it is not used. */
  get usedRangeTest(): string {
    return this.#rangeTest ?? "";
  }

  #view(method: BoundMethod, contract: string): CallHelperView {
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
    const name = scope.own(`try${method.name.charAt(0).toUpperCase()}${method.name.slice(1)}`);
    const tests = method.outputs.flatMap(({ type }, at) => this.#misfits(`value[${at}]`, type, 0));
    return {
      name,
      doc:
        tests.length > 0
          ? `Calls ${method.fn.name}; an answer that is out of its type's range counts as reverted.`
          : `Calls ${method.fn.name} with its arguments encoded as the contract expects them.`,
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
      tests: tests.map((test, at) => (at === tests.length - 1 ? test : `${test} ||`)),
      onlyTest: tests.length === 1 ? (tests[0] ?? "") : "",
      result: decodeResult(method, contract, scope),
    };
  }

  /**
   * The conditions under which a value does not fit its type.
   * @param depth the number of lists around it
   */
  #misfits(value: string, type: SolidityType, depth: number): readonly string[] {
    if (!holdsI32(type)) return [];
    if (type.kind === "array") {
      const item = depth === 0 ? "item" : `item${depth}`;
      const tests = this.#misfits(item, type.of, depth + 1);
      return [`${value}.toArray().some((${item}) => ${tests.join(" || ")})`];
    }
    if (type.kind === "tuple") {
      return type.components.flatMap((component, at) =>
        this.#misfits(`${value}.toTuple()[${at}]`, component.type, depth),
      );
    }
    const { lowest, highest } = present(integerRange(type), "only integers are held as i32");
    this.#scope.graphTs("BigInt");
    this.#rangeTest ??= this.#scope.own("isWithin");
    return [`!${this.#rangeTest}(${value}, ${lowest}, ${highest})`];
  }
}

function isSmallUnsigned(type: SolidityType): boolean {
  return type.kind === "int" && !type.signed && fitsI32(type);
}

/**
 * The type of an argument. For a struct, a list of its members as `ethereum.Value`s, which every binding's struct is.
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
