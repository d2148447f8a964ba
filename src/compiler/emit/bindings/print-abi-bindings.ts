import type { BoundAbi, BoundCall, BoundEvent, BoundMethod, BoundParameter } from "../../abi/bound-abi.js";
import { currentRules, type GraphCliRules } from "../../abi/graph-cli-rules.js";
import { capitalize } from "../../abi/parameter-names.js";
import { contractClass } from "./contract-class.js";
import { decode, encode } from "./ethereum-value.js";
import {
  type ClassText,
  call,
  literal,
  type MethodText,
  printFile,
  statement,
  styleOf,
  type TypedName,
  typeText,
} from "./syntax.js";

const mapType = "TypedMap<string, ethereum.Value>";

// As in graph-cli's output, used or not.
const imports = ["ethereum", "JSONValue", "TypedMap", "Entity", "Bytes", "Address", "BigInt"];

/** The text of `generated/<data source>/<abi>.ts`, byte for byte what `graph codegen` writes. */
export function printAbiBindings(bound: BoundAbi, rules: GraphCliRules = currentRules): string {
  const classes = [
    ...bound.events.flatMap(eventClasses),
    ...bound.methods.flatMap((method) => [...resultClasses(method), ...method.inputs.flatMap(structClasses)]),
    contractClass(bound),
    ...bound.calls.flatMap(callClasses),
  ];
  return printFile(imports, classes, styleOf(rules));
}

function eventClasses({ className, paramsClass, params }: BoundEvent): ClassText[] {
  return [
    {
      heading: `${className} extends ethereum.Event`,
      fields: [],
      methods: [view("params", paramsClass)],
    },
    viewClass(paramsClass, { name: "event", type: className }, "parameters", params),
    ...params.flatMap(structClasses),
  ];
}

function callClasses({ className, inputs, outputs }: BoundCall): ClassText[] {
  const inputsClass = `${className}__Inputs`;
  const outputsClass = `${className}__Outputs`;
  const owner = { name: "call", type: className };
  return [
    {
      heading: `${className} extends ethereum.Call`,
      fields: [],
      methods: [view("inputs", inputsClass), view("outputs", outputsClass)],
    },
    viewClass(inputsClass, owner, "inputValues", inputs),
    viewClass(outputsClass, owner, "outputValues", outputs),
    ...[...inputs, ...outputs].flatMap(structClasses),
  ];
}

/** The getter of an event's or a call's values. */
function view(name: string, className: string): MethodText {
  return {
    name: `get ${name}`,
    parameters: [],
    returnType: className,
    body: [statement(["return ", call(`new ${className}`, ["this"])])],
  };
}

/** The class with getters for the values of its owner, an event or a call. */
function viewClass(
  className: string,
  owner: { readonly name: string; readonly type: string },
  list: string,
  values: readonly BoundParameter[],
): ClassText {
  const field = `_${owner.name}`;
  return {
    heading: className,
    fields: [{ name: field, type: owner.type }],
    methods: [
      { name: "constructor", parameters: [owner], body: [statement(`this.${field} = ${owner.name}`)] },
      ...values.map((value, at) => getter(value, `this.${field}.${list}[${at}].value`)),
    ],
  };
}

/** The classes of a method's result: its structs' classes, then the class for several outputs. */
function resultClasses({ outputs, resultClass }: BoundMethod): ClassText[] {
  const structs = outputs.flatMap(structClasses);
  return resultClass === undefined ? structs : [...structs, severalOutputs(resultClass, outputs)];
}

function severalOutputs(className: string, outputs: readonly BoundParameter[]): ClassText {
  const fields = outputs.map(({ assemblyType }, at) => ({
    name: `value${at}`,
    type: typeText(assemblyType),
  }));
  return {
    heading: className,
    fields,
    methods: [resultConstructor(fields), toMap(outputs), ...outputs.map(outputGetter)],
  };
}

function resultConstructor(fields: readonly TypedName[]): MethodText {
  const body = fields.map(({ name }) => statement(`this.${name} = ${name}`));
  return { name: "constructor", parameters: fields, body };
}

function toMap(outputs: readonly BoundParameter[]): MethodText {
  const entries = outputs.map(({ type }, at) =>
    statement(call("map.set", [literal(`value${at}`), encode(`this.value${at}`, type)])),
  );
  return {
    name: "toMap",
    parameters: [],
    returnType: mapType,
    body: [statement(`let map = new ${mapType}()`), ...entries, statement("return map")],
  };
}

function outputGetter({ name, assemblyType }: BoundParameter, at: number): MethodText {
  return {
    name: `get${capitalize(name)}`,
    parameters: [],
    returnType: typeText(assemblyType),
    body: [statement(`return this.value${at}`)],
  };
}

/**
 * The classes of a parameter's struct or list of structs, including nested structs; none for other types.
 */
function structClasses({ struct }: BoundParameter): ClassText[] {
  if (!struct) return [];
  const own = {
    heading: `${struct.className} extends ethereum.Tuple`,
    fields: [],
    methods: struct.components.map((component, at) => getter(component, `this[${at}]`)),
  };
  return [own, ...struct.components.flatMap(structClasses)];
}

/** The getter of a parameter or component that is stored as an `ethereum.Value`. */
function getter(parameter: BoundParameter, value: string): MethodText {
  return {
    name: `get ${parameter.name}`,
    parameters: [],
    returnType: typeText(parameter.assemblyType),
    body: [statement(["return ", decode(value, parameter)])],
  };
}
