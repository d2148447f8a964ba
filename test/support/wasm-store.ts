import { type FieldDefinitionNode, parse, print, type TypeNode } from "graphql";
import { type BigDecimal, decimalText } from "./wasm-decimal.js";
import { type Row, type StoreValue, storeKinds } from "./wasm-rows.js";

/** What a test sees: bytes as hex text, `BigInt` as bigint, `BigDecimal` as decimal text. */
export type Entity = Readonly<Record<string, unknown>>;

interface Field {
  readonly type: string;
  readonly kind: string;
  readonly list: boolean;
  readonly nonNull: boolean;
  readonly derivedFrom: string | undefined;
}

/** graph-node's store: merging writes that are checked against the schema, and what the current block wrote. */
export class WasmStore {
  readonly #types = new Map<
    string,
    { readonly immutable: boolean; readonly fields: ReadonlyMap<string, Field> }
  >();
  readonly #saved = new Map<string, Row>();
  readonly #block = new Map<string, Row>();

  constructor(schema: string) {
    for (const node of parse(schema).definitions) {
      if (node.kind !== "ObjectTypeDefinition") throw new Error(`a ${node.kind} in the schema`);
      const directive = node.directives?.find(({ name }) => name.value === "entity");
      const immutable = directive?.arguments?.[0]?.value;
      const fields = new Map((node.fields ?? []).map((field) => [field.name.value, fieldOf(field)]));
      this.#types.set(node.name.value, {
        immutable: immutable?.kind === "BooleanValue" && immutable.value,
        fields,
      });
    }
  }

  /** The schema's text for a field, `undefined` without the field. */
  typeOf(entity: string, field: string): string | undefined {
    return this.#types.get(entity)?.fields.get(field)?.type;
  }

  fieldsOf(entity: string): readonly string[] {
    return [...this.#type(entity).fields.keys()];
  }

  isImmutable(entity: string): boolean {
    return this.#type(entity).immutable;
  }

  get(entity: string, id: string): Row | undefined {
    this.#type(entity);
    const saved = this.#saved.get(`${entity} ${id}`);
    const written = this.#block.get(`${entity} ${id}`);
    return saved || written ? new Map([...(saved ?? []), ...(written ?? [])]) : undefined;
  }

  /** Only what the current block has written of it. */
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
    this.#block.set(`${entity} ${id}`, new Map([...(this.#block.get(`${entity} ${id}`) ?? []), ...written]));
  }

  remove(entity: string, id: string): void {
    this.#type(entity);
    this.#saved.delete(`${entity} ${id}`);
    this.#block.delete(`${entity} ${id}`);
  }

  /** What a failed handler wrote is dropped. */
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

  endBlock(): void {
    for (const [key, row] of this.#block) {
      const saved = this.#saved.get(key);
      if (saved && this.#type(key.slice(0, key.indexOf(" "))).immutable) {
        throw new Error(`entity ${key} is immutable and was already inserted in an earlier block`);
      }
      this.#saved.set(key, new Map([...(saved ?? []), ...row]));
    }
    this.#block.clear();
  }

  /** Every entity of a type by id, as tests compare it. Fields that are null are left out. */
  all(entity: string): readonly Entity[] {
    return this.#rows(entity).map((row) =>
      Object.fromEntries(
        [...row]
          .filter(([, { kind }]) => kind !== "Null")
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, value]) => [name, plain(value)]),
      ),
    );
  }

  #rows(entity: string): readonly Row[] {
    this.#type(entity);
    const ids = [...this.#saved.keys(), ...this.#block.keys()]
      .filter((key) => key.startsWith(`${entity} `))
      .map((key) => key.slice(entity.length + 1));
    return [...new Set(ids)].sort().flatMap((id) => this.get(entity, id) ?? []);
  }

  #type(entity: string) {
    const type = this.#types.get(entity);
    if (!type) throw new Error(`the schema has no entity type ${entity}`);
    return type;
  }
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
  // References hold the id of another entity, which is text in every schema of ours.
  const scalar = (storeKinds as readonly string[]).includes(field.kind) ? field.kind : "String";
  for (const { kind } of values) {
    if (kind !== scalar || (field.list && value.kind !== "Array")) {
      throw new Error(`${place} must have type ${field.type} but has type ${value.kind} of ${kind}`);
    }
  }
}

function plain({ kind, value }: StoreValue): unknown {
  if (kind === "Array") return (value as readonly StoreValue[]).map(plain);
  return kind === "BigDecimal" ? decimalText(value as BigDecimal) : value;
}
