import type { BoundParameter } from "../../abi/bound-abi.js";
import { decode } from "./ethereum-value.js";
import { type ClassText, type MethodText, statement, typeText } from "./syntax.js";

/**
 * The classes of a parameter's struct or list of structs, including nested structs; none for other types.
 */
export function structClasses({ struct }: BoundParameter): ClassText[] {
  if (!struct) return [];
  const own = {
    heading: `${struct.className} extends ethereum.Tuple`,
    fields: [],
    methods: struct.components.map((component, at) => getter(component, `this[${at}]`)),
  };
  return [own, ...struct.components.flatMap(structClasses)];
}

/** The getter of a parameter or component that is stored as an `ethereum.Value`. */
export function getter(parameter: BoundParameter, value: string): MethodText {
  return {
    name: `get ${parameter.name}`,
    parameters: [],
    returnType: typeText(parameter.assemblyType),
    body: [statement(["return ", decode(value, parameter)])],
  };
}
