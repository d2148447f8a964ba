import type { BoundMethod, BoundParameter } from "../../abi/bound-abi.js";
import { capitalize } from "../../abi/parameter-names.js";
import { encode } from "./ethereum-value.js";
import { structClasses } from "./struct-classes.js";
import {
  type ClassText,
  call,
  literal,
  type MethodText,
  statement,
  type TypedName,
  typeText,
} from "./syntax.js";

const mapType = "TypedMap<string, ethereum.Value>";

/** The classes of a method's result: those of its structs, then the one that holds several outputs. */
export function resultClasses({ outputs, resultClass }: BoundMethod): ClassText[] {
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
