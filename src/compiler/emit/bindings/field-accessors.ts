import { escapeReserved } from "../../abi/reserved-words.js";
import type { BoundEntity, BoundField } from "./bound-entity.js";
import type { StoredForm } from "./stored-form.js";
import { call, literal, type MethodText, nullableIf, statement, typeReference } from "./syntax.js";

/** The getter and setter of an entity's field; a derived field has at most a getter. */
export function fieldAccessors(entity: BoundEntity, field: BoundField): MethodText[] {
  if (field.kind === "derived") return field.hasGetter ? [derivedGetter(entity, field)] : [];
  const { name, form } = field;
  // AssemblyScript has no null for numbers and booleans, whatever the schema says.
  const nullable = field.nullable && form.unset === undefined;
  return [getter(name, form, nullable), nullable ? nullableSetter(name, form) : setter(name, form)];
}

function derivedGetter(
  entity: BoundEntity,
  { name, of }: Extract<BoundField, { kind: "derived" }>,
): MethodText {
  const loader = `${of}Loader`;
  const asText = entity.id === "Bytes" ? ".toBytes().toHexString()" : ".toString()";
  const args = [literal(entity.name), `this.get("id")!${asText}`, literal(name)];
  return {
    name: `get ${escapeReserved(name)}`,
    parameters: [],
    returnType: loader,
    body: [statement(["return ", call(`new ${loader}`, args)])],
  };
}

function getter(name: string, { assemblyType, read, unset }: StoredForm, nullable: boolean): MethodText {
  const failure = 'throw new Error("Cannot return null for a required field.")';
  const otherwise = unset ?? (nullable ? "null" : undefined);
  return {
    name: `get ${escapeReserved(name)}`,
    parameters: [],
    returnType: nullableIf(nullable, assemblyType),
    body: [
      statement(["let value = ", call("this.get", [literal(name)])]),
      "    if (!value || value.kind == ValueKind.NULL) {",
      statement(otherwise === undefined ? failure : `return ${otherwise}`, 6),
      "    } else {",
      statement(`return value.to${read}()`, 6),
      "    }",
    ],
  };
}

function setter(name: string, { assemblyType, write }: StoredForm): MethodText {
  return {
    name: `set ${escapeReserved(name)}`,
    parameters: [{ name: "value", type: assemblyType }],
    body: [statement(call("this.set", [literal(name), `Value.from${write}(value)`]))],
  };
}

function nullableSetter(name: string, { assemblyType, write }: StoredForm): MethodText {
  const value = [`Value.from${write}(<`, typeReference(assemblyType), ">value)"];
  return {
    name: `set ${escapeReserved(name)}`,
    parameters: [{ name: "value", type: nullableIf(true, assemblyType) }],
    body: [
      "    if (!value) {",
      statement(call("this.unset", [literal(name)]), 6),
      "    } else {",
      statement(call("this.set", [literal(name), value]), 6),
      "    }",
    ],
  };
}
