import { invariant, present } from "../../base/invariant.js";
import type { AbiEvent, AbiFunction } from "../abi/abi.js";
import type { BoundParameter, BoundStruct } from "../abi/bound-abi.js";
import { type StoredType, stored, storedEventType, storedScalar, storedType } from "../abi/conversions.js";
import { elementType, type Parameter } from "../abi/solidity-type.js";
import type { HandlerTrigger, ParameterPath, ParameterValue } from "../model/handler.js";
import { parameterStem } from "../names/field-names.js";
import type { Location } from "../source/source.js";

/** A field of a trigger's parameter, before its name is allocated. */
export interface WantedField {
  /** `amount`, `order_maker`, `output_liquidity`. */
  readonly name: string;
  readonly stored: StoredType;
  readonly value: ParameterValue;
}

/**
 * The fields of a trigger's parameters in schema order: structs flattened, a call's outputs last.
 * @param trigger the binding, which determines the paths of values
 * @param entry the ABI's own entry, which determines the names
 */
export function parameterFields(
  trigger: HandlerTrigger,
  entry: AbiEvent | AbiFunction,
): readonly WantedField[] {
  if (trigger.kind === "event") {
    const { params, firstOwn } = trigger.bound;
    return params
      .slice(firstOwn)
      .flatMap((parameter, position) =>
        eventField(parameter, at(entry.inputs, position), position, firstOwn),
      );
  }
  const outputs = entry.kind === "function" ? entry.outputs : [];
  return [
    ...trigger.bound.inputs.flatMap((parameter, position) => {
      const original = at(entry.inputs, position);
      const name = parameterStem(original.name, `param${position}`);
      return fieldsOf(parameter, original, name, rootPath("call.inputs", parameter, position));
    }),
    ...trigger.bound.outputs.flatMap((parameter, position) => {
      const original = at(outputs, position);
      const name = `output_${parameterStem(original.name, `value${position}`)}`;
      return fieldsOf(parameter, original, name, rootPath("call.outputs", parameter, position));
    }),
  ];
}

function eventField(
  parameter: BoundParameter,
  original: Parameter,
  position: number,
  firstOwn: number,
): readonly WantedField[] {
  const path = rootPath("event.params", parameter, firstOwn + position);
  const name = parameterStem(original.name, `param${position}`);
  if (!parameter.indexed) return fieldsOf(parameter, original, name, path);
  return [{ name, stored: storedEventType(parameter.type, true), value: plainValue(parameter, path) }];
}

function at(parameters: readonly Parameter[], position: number): Parameter {
  return present(parameters[position], "a binding has more parameters than its ABI entry");
}

/** The location in the ABI of a field's parameter or struct component. */
export function parameterPlace(
  value: ParameterValue,
  trigger: HandlerTrigger,
  entry: AbiEvent | AbiFunction,
): Location {
  const { root, positions } = value.kind === "column" ? value.list : value.path;
  const list = root === "call.outputs" ? "outputs" : "inputs";
  const before = trigger.kind === "event" ? trigger.bound.firstOwn : 0;
  const path = positions.flatMap((position, depth) =>
    depth === 0 ? [list, position - before] : ["components", position],
  );
  return entry.locate([...path, "name"]);
}

function rootPath(root: ParameterPath["root"], parameter: BoundParameter, position: number): ParameterPath {
  return { root, getters: [parameter.name], positions: [position] };
}

function fieldsOf(
  parameter: BoundParameter,
  original: Parameter,
  name: string,
  path: ParameterPath,
): readonly WantedField[] {
  const { type, struct } = parameter;
  if (type.kind === "tuple" && struct) {
    return struct.components.flatMap((component, position) => {
      const inner = componentOf(original, position);
      return fieldsOf(component, inner, componentName(name, inner, position), {
        root: path.root,
        getters: [...path.getters, component.name],
        positions: [...path.positions, position],
      });
    });
  }
  if (type.kind === "array" && type.of.kind === "tuple" && struct) {
    return columns(struct, original, name, [], path) ?? [encoded(name, path)];
  }
  if (type.kind === "array" && storedScalar(type.of) === undefined) return [encoded(name, path)];
  return [{ name, stored: storedType(type), value: plainValue(parameter, path) }];
}

/** One list per component of a list of structs; `undefined` if a component is itself a list. */
function columns(
  struct: BoundStruct,
  original: Parameter,
  name: string,
  members: readonly string[],
  list: ParameterPath,
): readonly WantedField[] | undefined {
  const fields: WantedField[] = [];
  for (const [position, component] of struct.components.entries()) {
    const inner = componentOf(original, position);
    const columnName = componentName(name, inner, position);
    const path = [...members, component.name];
    const scalar = storedScalar(component.type);
    if (scalar !== undefined) {
      const hex = component.type.kind === "address";
      const value = { kind: "column", list, members: path, hex } as const;
      fields.push({ name: columnName, stored: stored(scalar, true), value });
      continue;
    }
    if (component.type.kind !== "tuple" || !component.struct) return undefined;
    const nested = columns(component.struct, inner, columnName, path, list);
    if (!nested) return undefined;
    fields.push(...nested);
  }
  return fields;
}

function componentOf(original: Parameter, position: number): Parameter {
  const type = elementType(original.type);
  invariant(type.kind === "tuple", "a struct binding without a struct type");
  return at(type.components, position);
}

function componentName(parent: string, component: Parameter, position: number): string {
  return `${parent}_${parameterStem(component.name, `value${position}`)}`;
}

function encoded(name: string, path: ParameterPath): WantedField {
  return { name, stored: stored("Bytes"), value: { kind: "encoded", path } };
}

/** Addresses are stored as strings, but the topic of a hashed list of addresses is already bytes. */
function plainValue({ type, indexed }: BoundParameter, path: ParameterPath): ParameterValue {
  const hex = type.kind === "address" || (!indexed && type.kind === "array" && type.of.kind === "address");
  return { kind: "plain", path, hex };
}
