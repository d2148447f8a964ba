import type { BoundAbi, BoundCall, BoundEvent, BoundParameter } from "../../abi/bound-abi.js";
import { currentRules, type GraphCliRules } from "../../abi/graph-cli-rules.js";
import { contractClass } from "./contract-class.js";
import { resultClasses } from "./result-classes.js";
import { getter, structClasses } from "./struct-classes.js";
import { type ClassText, call, type MethodText, printFile, statement, styleOf } from "./syntax.js";

// All of them, used or not, as in graph-cli's output.
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

/** The getter of an event or a call for its values. */
function view(name: string, className: string): MethodText {
  return {
    name: `get ${name}`,
    parameters: [],
    returnType: className,
    body: [statement(["return ", call(`new ${className}`, ["this"])])],
  };
}

/** The class with the getters for the values of an event or a call, its owner. */
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
