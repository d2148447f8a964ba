import {
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from "graphql";
import { isTimestamp } from "../../runtime/numbers/timestamp.js";
import type { QueryValue } from "./values.js";

/** A value that does not fit, or the whole object that holds it. */
export class Misfit {
  readonly value: QueryValue;

  constructor(value: QueryValue) {
    this.value = value;
  }
}

/**
 * Converts a value to its type. Does not wrap values into lists or check for missing keys.
 * @returns the value that does not fit, if there is one
 */
export function coerce(value: QueryValue, type: GraphQLInputType): QueryValue | Misfit {
  if (isNonNullType(type)) return value.kind === "Null" ? new Misfit(value) : coerce(value, type.ofType);
  if (value.kind === "Null") return value;
  if (isListType(type)) return coerceList(value, type.ofType);
  if (isInputObjectType(type)) return coerceObject(value, (name) => type.getFields()[name]?.type);
  if (isEnumType(type)) {
    const isName = value.kind === "Enum" || value.kind === "String";
    return isName && type.getValue(value.value) ? { kind: "Enum", value: value.value } : new Misfit(value);
  }
  return isScalarType(type) ? coerceScalar(value, type.name) : new Misfit(value);
}

function coerceList(value: QueryValue, type: GraphQLInputType): QueryValue | Misfit {
  if (value.kind !== "List") return new Misfit(value);
  const items: QueryValue[] = [];
  for (const item of value.items) {
    const coerced = coerce(item, type);
    if (coerced instanceof Misfit) return coerced;
    items.push(coerced);
  }
  return { kind: "List", items };
}

function coerceObject(
  value: QueryValue,
  typeOf: (name: string) => GraphQLInputType | undefined,
): QueryValue | Misfit {
  if (value.kind !== "Object") return new Misfit(value);
  const entries = new Map<string, QueryValue>();
  for (const [name, entry] of value.entries) {
    const type = typeOf(name);
    const coerced = type && coerce(entry, type);
    if (coerced === undefined || coerced instanceof Misfit) return new Misfit(value);
    entries.set(name, coerced);
  }
  return { kind: "Object", entries };
}

function coerceScalar(value: QueryValue, name: string): QueryValue | Misfit {
  const { kind } = value;
  const accepted = acceptedKinds.get(name) ?? [];
  if (!accepted.includes(kind)) return new Misfit(value);
  if (kind === "Int" && name === "Int" && BigInt.asIntN(32, value.value) !== value.value) {
    return new Misfit(value);
  }
  if (kind === "String" && name === "Timestamp" && !isTimestampText(value.value)) return new Misfit(value);
  return kind === "Int" && name === "ID" ? { kind: "String", value: value.value.toString() } : value;
}

/** Whether a string is a number of microseconds since 1970. */
function isTimestampText(text: string): boolean {
  return /^[+-]?\d{1,40}$/.test(text) && isTimestamp(BigInt(text.replace(/^\+/, "")));
}

const acceptedKinds: ReadonlyMap<string, readonly QueryValue["kind"][]> = new Map([
  ["ID", ["String", "Int"]],
  ["String", ["String"]],
  ["Bytes", ["String"]],
  ["BigInt", ["String", "Int"]],
  ["BigDecimal", ["String", "Int", "Float"]],
  ["Int8", ["String", "Int"]],
  ["Int", ["Int"]],
  ["Timestamp", ["String"]],
  ["Boolean", ["Boolean"]],
  ["Float", ["Float", "Int"]],
]);
