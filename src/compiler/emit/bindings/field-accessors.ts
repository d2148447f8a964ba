import { escapeReserved } from "../../abi/reserved-words.js";
import type { EntityField } from "../../model/entity-model.js";
import { type StoredForm, storeValue } from "./store-value.js";
import { call, literal, type MethodText, statement } from "./syntax.js";

/** The getter and setter of an entity's field; a derived field has only a getter. */
export function fieldAccessors(entity: string, field: EntityField): MethodText[] {
  if (field.derivedFrom !== undefined) return [derivedGetter(entity, field)];
  const value = storeValue(field);
  // AssemblyScript has no null for numbers and booleans, whatever the schema says.
  const nullable = !field.nonNull && value.unset === undefined;
  return [getter(field, value, nullable), nullable ? nullableSetter(field, value) : setter(field, value)];
}

function derivedGetter(entity: string, { name, of }: EntityField): MethodText {
  const loader = `${of.name}Loader`;
  const args = [literal(entity), 'this.get("id")!.toString()', literal(name)];
  return {
    name: `get ${escapeReserved(name)}`,
    parameters: [],
    returnType: loader,
    body: [statement(["return ", call(`new ${loader}`, args)])],
  };
}

function getter({ name }: EntityField, value: StoredForm, nullable: boolean): MethodText {
  const failure = 'throw new Error("Cannot return null for a required field.")';
  const unset = value.unset ?? (nullable ? "null" : undefined);
  return {
    name: `get ${escapeReserved(name)}`,
    parameters: [],
    returnType: nullable ? `${value.assemblyType} | null` : value.assemblyType,
    body: [
      statement(["let value = ", call("this.get", [literal(name)])]),
      "    if (!value || value.kind == ValueKind.NULL) {",
      statement(unset === undefined ? failure : `return ${unset}`, 6),
      "    } else {",
      statement(`return value.to${value.conversion}()`, 6),
      "    }",
    ],
  };
}

function setter({ name }: EntityField, { assemblyType, conversion }: StoredForm): MethodText {
  return {
    name: `set ${escapeReserved(name)}`,
    parameters: [{ name: "value", type: assemblyType }],
    body: [statement(call("this.set", [literal(name), `Value.from${conversion}(value)`]))],
  };
}

function nullableSetter({ name }: EntityField, { assemblyType, conversion }: StoredForm): MethodText {
  const value = `Value.from${conversion}(<${assemblyType}>value)`;
  return {
    name: `set ${escapeReserved(name)}`,
    parameters: [{ name: "value", type: `${assemblyType} | null` }],
    body: [
      "    if (!value) {",
      statement(call("this.unset", [literal(name)]), 6),
      "    } else {",
      statement(call("this.set", [literal(name), value]), 6),
      "    }",
    ],
  };
}
