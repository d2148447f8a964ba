import { type Abi, type AbiEvent, type AbiFunction, callSignature } from "./abi.js";
import { type AssemblyType, assemblyType, bytesType } from "./assembly-type.js";
import type {
  BoundAbi,
  BoundCall,
  BoundEvent,
  BoundMethod,
  BoundParameter,
  BoundStruct,
} from "./bound-abi.js";
import { currentRules, type GraphCliRules } from "./graph-cli-rules.js";
import { capitalize, componentNames, numberNames, parameterNames } from "./parameter-names.js";
import { elementType, isHashedWhenIndexed, type Parameter, type TupleType } from "./solidity-type.js";

/**
 * Computes all names of a contract interface's binding.
 * @param className the contract class; also the ABI's name in the manifest
 * @param abi all of its entries must have a binding, see `makeBindable`
 */
export function bindAbi(className: string, abi: Abi): BoundAbi {
  const callable = abi.functions.filter(isCallable);
  const listenable = abi.functions.filter(isListenable);
  return bindEntries(className, { events: abi.events, callable, listenable });
}

/** The entries of an ABI by their kind in a binding, each kind in ABI order. */
export interface BindableEntries {
  readonly events: readonly AbiEvent[];
  readonly callable: readonly AbiFunction[];
  readonly listenable: readonly AbiFunction[];
}

/**
 * Computes all names of a binding for these entries.
 * @param className see `bindAbi`
 */
export function bindEntries(
  className: string,
  { events, callable, listenable }: BindableEntries,
  rules: GraphCliRules = currentRules,
): BoundAbi {
  const eventNames = numberNames(
    events.map(({ name }) => name),
    rules,
  );
  const methodNames = numberNames(
    callable.map(({ name }) => name),
    rules,
  );
  // Numbered separately from the methods: an overload may be the second method and the first call.
  const callNames = numberNames(
    listenable.map(({ name }) => name),
    rules,
  );
  return {
    className,
    events: events.map((event, at) => bindEvent(event, eventNames[at] as string, rules)),
    methods: callable.map((fn, at) => bindMethod(className, fn, methodNames[at] as string, rules)),
    calls: listenable.map((fn, at) => bindCall(fn, callNames[at] as string, rules)),
  };
}

/**
 * Whether the contract class has a method for a function. Payable functions have none: a call sends no ether.
 */
export function isCallable(fn: AbiFunction): boolean {
  return fn.mutability !== "payable" && fn.outputs.length > 0;
}

/** Whether a call handler can listen to a function, which then has a call class. */
export function isListenable(fn: AbiFunction): boolean {
  return fn.mutability === "nonpayable" || fn.mutability === "payable";
}

function bindEvent(event: AbiEvent, className: string, rules: GraphCliRules): BoundEvent {
  return {
    event,
    className,
    paramsClass: `${className}__Params`,
    params: bindParameters(event.inputs, { rules, prefix: className, unnamed: "param" }),
    firstOwn: event.standsFor ? 1 : 0,
  };
}

function bindMethod(contract: string, fn: AbiFunction, name: string, rules: GraphCliRules): BoundMethod {
  const resultClass = `${contract}__${name}Result`;
  const outputs = bindParameters(fn.outputs, { rules, prefix: resultClass, unnamed: "value" });
  const bound = {
    fn,
    name,
    tryName: `try_${name}`,
    signature: callSignature(fn),
    inputs: bindParameters(fn.inputs, { rules, prefix: `${contract}__${name}Input`, unnamed: "param" }),
    outputs,
  };
  const [only, ...others] = outputs;
  if (only && others.length === 0) return { ...bound, resultType: onlyResult(only) };
  return { ...bound, resultType: { kind: "binding", name: resultClass }, resultClass };
}

/** graph-cli treats a list of lists of structs as a list of structs. */
function onlyResult({ assemblyType: type, struct }: BoundParameter): AssemblyType {
  return struct && type.kind === "array" && type.of.kind === "array" ? type.of : type;
}

function bindCall(fn: AbiFunction, name: string, rules: GraphCliRules): BoundCall {
  const className = `${capitalize(name)}Call`;
  return {
    fn,
    className,
    inputs: bindParameters(fn.inputs, { rules, prefix: className, unnamed: "value" }),
    outputs: bindParameters(fn.outputs, {
      rules,
      prefix: className,
      unnamed: "value",
      suffix: rules.outputStructs ? "OutputStruct" : "Struct",
    }),
  };
}

/** How to name a list of parameters. */
interface Naming {
  readonly rules: GraphCliRules;
  /** Prefix of the names of struct classes. */
  readonly prefix: string;
  /** Name of unnamed parameters, followed by their index. */
  readonly unnamed: "param" | "value";
  /** Suffix of the names of struct classes, `Struct` by default. Nested structs always end in `Struct`. */
  readonly suffix?: string;
}

function bindParameters(parameters: readonly Parameter[], naming: Naming): BoundParameter[] {
  const names = parameterNames(
    parameters.map(({ name }) => name),
    naming.unnamed,
    naming.rules,
  );
  return parameters.map((parameter, at) => bindParameter(parameter, names[at] as string, naming));
}

function bindParameter(parameter: Parameter, name: string, naming: Naming): BoundParameter {
  const { type, indexed } = parameter;
  const bound = { name, abiName: parameter.name, type, indexed };
  if (indexed && isHashedWhenIndexed(type)) return { ...bound, assemblyType: bytesType };
  const tuple = elementType(type);
  if (tuple.kind !== "tuple") return { ...bound, assemblyType: assemblyType(type) };
  const struct = bindStruct(tuple, naming.prefix + capitalize(name), naming);
  return { ...bound, assemblyType: assemblyType(type, struct.className), struct };
}

function bindStruct(tuple: TupleType, prefix: string, { rules, suffix = "Struct" }: Naming): BoundStruct {
  const names = componentNames(tuple.components.map(({ name }) => name));
  return {
    className: prefix + suffix,
    components: tuple.components.map((component, at) =>
      bindParameter(component, names[at] as string, { rules, prefix, unnamed: "value" }),
    ),
  };
}
