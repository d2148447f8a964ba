import type { StoreValue } from "../../subgraph/schema/entity.js";
import type { EntityType, IdKind } from "../../subgraph/schema/entity-schema.js";
import { EntityError } from "./entity-error.js";

const lowerHex = /^0x(?:[0-9a-f]{2})*$/;
const anyHex = /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/;
const integer = /^-?[0-9]+$/;

/**
 * The canonical form of an id: bytes in lower case with 0x, integers without leading zeros.
 * @throws EntityError for a string that is not a valid id of the type
 */
export function canonicalId(type: EntityType, id: string): string {
  if (type.idKind === "String") return id;
  if (type.idKind === "Bytes") {
    if (lowerHex.test(id)) return id;
    const digits = anyHex.exec(id)?.[1];
    if (digits !== undefined) return `0x${digits.toLowerCase()}`;
  } else if (integer.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id)) return String(BigInt(id));
  throw new EntityError(
    `${JSON.stringify(id)} is not a valid id of ${type.name}, whose ids are ${type.idKind}`,
  );
}

/** Whether an id has the canonical form of its type. */
export function isCanonical(type: EntityType, id: string): boolean {
  if (type.idKind === "String") return true;
  if (type.idKind === "Bytes") return lowerHex.test(id);
  return integer.test(id) && String(BigInt.asIntN(64, BigInt(id))) === id;
}

/** The `id` field as a value of the store. */
export function idValue({ idKind }: EntityType, id: string): StoreValue {
  return idKind === "Int8" ? { kind: idKind, value: BigInt(id) } : { kind: idKind, value: id };
}

/**
 * Generates the id of an entity that requests one from the host.
 * @param sequence the number of ids generated before in this block
 */
export function generatedId(type: EntityType, block: number, sequence: number): string {
  if (type.idKind === "Int8") return String((BigInt(block) << 32n) | BigInt(sequence));
  if (type.idKind === "Bytes") return `0x${eightDigits(block)}${eightDigits(sequence)}`;
  throw new EntityError(
    `the ids of ${type.name} are strings, but "auto" can only generate ids that are Int8 or Bytes`,
  );
}

function eightDigits(value: number): string {
  return value.toString(16).padStart(8, "0");
}

/** Sorts items by id: numeric ids by value, others as strings. */
export function sortById<T>(items: Iterable<T>, kind: IdKind, idOf: (item: T) => string): T[] {
  const list = [...items];
  if (kind !== "Int8") return list.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const numbers = list.map((item) => ({ item, id: BigInt(idOf(item)) }));
  return numbers.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ item }) => item);
}
