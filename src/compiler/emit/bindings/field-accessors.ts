import type { GraphCliRules } from "../../abi/graph-cli-rules.js";
import { escapeReserved } from "../../abi/reserved-words.js";
import type { BoundEntity, BoundField } from "./bound-entity.js";
import { type Doc, indent, softline, styled } from "./layout.js";
import type { StoredForm } from "./stored-form.js";
import {
  brokenCall,
  call,
  literal,
  type MethodText,
  nullableIf,
  statement,
  typeReference,
} from "./syntax.js";

const ownId = 'this.get("id")!';

/** A field's name in the store and in its accessors. */
interface Names {
  readonly name: string;
  readonly accessor: string;
}

/** The getter and setter of an entity's field; a derived field has at most a getter. */
export function fieldAccessors(entity: BoundEntity, field: BoundField, rules: GraphCliRules): MethodText[] {
  const accessor = rules.escapesNames ? escapeReserved(field.name) : field.name;
  if (field.kind === "derived") return field.hasGetter ? [derivedGetter(entity, field, accessor, rules)] : [];
  const { form, isReadOnly = false } = field;
  const names = { name: field.name, accessor };
  // AssemblyScript has no null for numbers and booleans, regardless of the schema.
  const nullable = field.nullable && form.unset === undefined;
  const read = getter(names, form, nullable, rules);
  if (isReadOnly) return [read];
  return [read, nullable ? nullableSetter(names, form) : setter(names, form)];
}

function derivedGetter(
  entity: BoundEntity,
  { name, of, id }: Extract<BoundField, { kind: "derived" }>,
  accessor: string,
  { loadsByBytes, ownIds }: GraphCliRules,
): MethodText {
  const loader = `${of}Loader`;
  const isBytes = loadsByBytes && (ownIds ? entity.id : id) === "Bytes";
  const args = (idText: Doc): Doc[] => [literal(entity.name), idText, literal(name)];
  const bytes = styled({
    current: call(`new ${loader}`, args(`${ownId}.toBytes().toHexString()`)),
    // A chain of three calls always breaks there.
    older: brokenCall(
      `new ${loader}`,
      args([ownId, indent([softline, ".toBytes()", softline, ".toHexString()"])]),
    ),
  });
  return {
    name: `get ${accessor}`,
    parameters: [],
    returnType: loader,
    body: [statement(["return ", isBytes ? bytes : call(`new ${loader}`, args(`${ownId}.toString()`))])],
  };
}

function getter(
  { name, accessor }: Names,
  { assemblyType, read, unset }: StoredForm,
  nullable: boolean,
  { checksNull }: GraphCliRules,
): MethodText {
  const failure = 'throw new Error("Cannot return null for a required field.")';
  const otherwise = unset ?? (nullable ? "null" : undefined);
  const value = statement(["let value = ", call("this.get", [literal(name)])]);
  const heading = { name: `get ${accessor}`, parameters: [], returnType: nullableIf(nullable, assemblyType) };
  if (!checksNull && !nullable) return { ...heading, body: [value, statement(`return value!.to${read}()`)] };
  return {
    ...heading,
    body: [
      value,
      "    if (!value || value.kind == ValueKind.NULL) {",
      statement(otherwise === undefined ? failure : `return ${otherwise}`, 6),
      "    } else {",
      statement(`return value.to${read}()`, 6),
      "    }",
    ],
  };
}

function setter({ name, accessor }: Names, { assemblyType, write }: StoredForm): MethodText {
  return {
    name: `set ${accessor}`,
    parameters: [{ name: "value", type: assemblyType }],
    body: [statement(call("this.set", [literal(name), `Value.from${write}(value)`]))],
  };
}

function nullableSetter({ name, accessor }: Names, { assemblyType, write }: StoredForm): MethodText {
  const value = [`Value.from${write}(<`, typeReference(assemblyType), ">value)"];
  return {
    name: `set ${accessor}`,
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
