import {
  type FieldDefinitionNode,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type TypeNode,
} from "graphql";
import { type Row, rowOf, type StoreValue, storeKinds } from "./rows.js";

/** The change of an entity in a block, with all its fields after the block. */
export interface RowChange {
  readonly type: string;
  readonly id: string;
  readonly row: Row;
}

interface Field {
  readonly type: string;
  readonly kind: string;
  readonly list: boolean;
  readonly nonNull: boolean;
  readonly derivedFrom: string | undefined;
}

interface EntityType {
  readonly immutable: boolean;
  readonly fields: ReadonlyMap<string, Field>;
}

/** graph-node's store: merges writes, checks them against the schema, and tracks those of the current block. */
export class ShadowStore {
  readonly #types: ReadonlyMap<string, EntityType>;
  readonly #saved = new Map<string, Row>();
  /** In the order of the last write. */
  readonly #block = new Map<string, Row>();

  constructor(schema: string) {
    this.#types = new Map(
      parse(schema).definitions.map((node) => {
        if (node.kind !== "ObjectTypeDefinition") throw new Error(`a ${node.kind} in the schema`);
        return [node.name.value, typeOf(node)];
      }),
    );
  }

  get(entity: string, id: string): Row | undefined {
    this.#type(entity);
    const saved = this.#saved.get(`${entity} ${id}`);
    const written = this.#block.get(`${entity} ${id}`);
    return saved || written ? new Map([...(saved ?? []), ...(written ?? [])]) : undefined;
  }

  /** Only the fields that the current block has written. */
  getInBlock(entity: string, id: string): Row | undefined {
    this.#type(entity);
    return this.#block.get(`${entity} ${id}`);
  }

  related(entity: string, id: string, fieldName: string): readonly Row[] {
    const field = this.#type(entity).fields.get(fieldName);
    const by = field?.derivedFrom;
    if (!field || by === undefined) throw new Error(`${entity}.${fieldName} is not derived`);
    return this.#rows(field.kind).filter((row) => row.get(by)?.value === id);
  }

  set(entity: string, id: string, data: Row): void {
    const { fields } = this.#type(entity);
    const known = data.get("id");
    if (known && known.value !== id)
      throw new Error(`Value of ${entity} attribute 'id' conflicts with ${id}`);
    const written = new Map([...data, ["id", { kind: "String", value: id }] as const]);
    for (const [name, value] of written) checkKind(`${entity}[${id}].${name}`, fields.get(name), value);
    const merged = new Map([...(this.get(entity, id) ?? []), ...written]);
    for (const [name, { nonNull, derivedFrom }] of fields) {
      if (nonNull && !derivedFrom && (merged.get(name)?.kind ?? "Null") === "Null") {
        throw new Error(`Entity ${entity}[${id}]: missing value for non-nullable field \`${name}\``);
      }
    }
    const key = `${entity} ${id}`;
    const before = this.#block.get(key) ?? [];
    this.#block.delete(key);
    this.#block.set(key, new Map([...before, ...written]));
  }

  remove(entity: string, id: string): void {
    this.#type(entity);
    this.#saved.delete(`${entity} ${id}`);
    this.#block.delete(`${entity} ${id}`);
  }

  /** Drops the writes of a failed handler. */
  transaction<T>(task: () => T): T {
    const before = new Map(this.#block);
    try {
      return task();
    } catch (error) {
      this.#block.clear();
      for (const [key, row] of before) this.#block.set(key, row);
      throw error;
    }
  }

  /** Saves the writes of the block, and returns the changes. */
  endBlock(): readonly RowChange[] {
    const changes = [...this.#block].flatMap(([key, written]) => this.#save(key, written));
    this.#block.clear();
    return changes;
  }

  #save(key: string, written: Row): readonly RowChange[] {
    const [type = "", id = ""] = splitKey(key);
    const saved = this.#saved.get(key);
    if (saved && this.#type(type).immutable) {
      throw new Error(`entity ${key} is immutable and was already inserted in an earlier block`);
    }
    const row = rowOf([...(saved ?? []), ...written]);
    this.#saved.set(key, row);
    return saved && sameRow(saved, row) ? [] : [{ type, id, row }];
  }

  #rows(entity: string): readonly Row[] {
    this.#type(entity);
    const ids = [...this.#saved.keys(), ...this.#block.keys()]
      .map(splitKey)
      .flatMap(([type, id = ""]) => (type === entity ? [id] : []));
    return [...new Set(ids)].sort().flatMap((id) => this.get(entity, id) ?? []);
  }

  #type(entity: string): EntityType {
    const type = this.#types.get(entity);
    if (!type) throw new Error(`the schema has no entity type ${entity}`);
    return type;
  }
}

/** The entity type and id. Entity types contain no blanks. */
function splitKey(key: string): readonly string[] {
  const blank = key.indexOf(" ");
  return [key.slice(0, blank), key.slice(blank + 1)];
}

function sameRow(a: Row, b: Row): boolean {
  const text = (row: Row): string =>
    JSON.stringify([...row], (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
  return text(a) === text(b);
}

function typeOf({ directives, fields }: ObjectTypeDefinitionNode): EntityType {
  const directive = directives?.find(({ name }) => name.value === "entity");
  const immutable = directive?.arguments?.[0]?.value;
  return {
    immutable: immutable?.kind === "BooleanValue" && immutable.value,
    fields: new Map((fields ?? []).map((field) => [field.name.value, fieldOf(field)])),
  };
}

function fieldOf({ type, directives }: FieldDefinitionNode): Field {
  const inner = (node: TypeNode): TypeNode => (node.kind === "NonNullType" ? node.type : node);
  const outer = inner(type);
  const base = outer.kind === "ListType" ? inner(outer.type) : outer;
  const derived = directives?.find(({ name }) => name.value === "derivedFrom")?.arguments?.[0]?.value;
  return {
    type: print(type),
    kind: print(base),
    list: outer.kind === "ListType",
    nonNull: type.kind === "NonNullType",
    derivedFrom: derived?.kind === "StringValue" ? derived.value : undefined,
  };
}

function checkKind(place: string, field: Field | undefined, value: StoreValue): void {
  if (!field) throw new Error(`Attempted to set undefined fields: ${place}`);
  if (field.derivedFrom) throw new Error(`${place} is derived and cannot be set`);
  if (value.kind === "Null") return;
  const values = field.list && value.kind === "Array" ? (value.value as readonly StoreValue[]) : [value];
  // References hold the id of the other entity, which is a string in all these schemas.
  const scalar = (storeKinds as readonly string[]).includes(field.kind) ? field.kind : "String";
  for (const { kind } of values) {
    if (kind !== scalar || (field.list && value.kind !== "Array")) {
      throw new Error(`${place} must have type ${field.type} but has type ${value.kind} of ${kind}`);
    }
  }
}
