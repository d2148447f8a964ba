import { currentRules, type GraphCliRules } from "../../abi/graph-cli-rules.js";
import type { BoundEntity } from "./bound-entity.js";
import { fieldAccessors } from "./field-accessors.js";
import {
  type ClassText,
  call,
  literal,
  type MethodText,
  printFile,
  statement,
  styleOf,
  type TypeText,
} from "./syntax.js";

// As in graph-cli's output, used or not.
const imports = [
  "TypedMap",
  "Entity",
  "Value",
  "ValueKind",
  "store",
  "Bytes",
  "BigInt",
  "BigDecimal",
  "Int8",
];

/** The type of an id in generated code, and its conversion to text. */
const ids = {
  String: { type: "string", kind: "STRING", from: "String", text: "id", valueText: "id.toString()" },
  Bytes: {
    type: "Bytes",
    kind: "BYTES",
    from: "Bytes",
    text: "id.toHexString()",
    valueText: "id.toBytes().toHexString()",
  },
  Int8: {
    type: "Int8",
    kind: "INT8",
    from: "I64",
    text: "id.toString()",
    valueText: "id.toI64().toString()",
  },
} as const;

interface SchemaBindingOptions {
  /** Whether the entities belong to another subgraph, so that this one does not store them. */
  readonly isOfSource?: boolean;
  readonly rules?: GraphCliRules;
}

/** The text of `generated/schema.ts`, byte for byte what `graph codegen` writes. */
export function printSchemaBindings(
  entities: readonly BoundEntity[],
  { isOfSource = false, rules = currentRules }: SchemaBindingOptions = {},
): string {
  const classes = entities.map((entity) => entityClass(entity, isOfSource, rules));
  const available = rules.int8 ? imports : imports.filter((name) => name !== "Int8");
  return printFile(available, [...classes, ...derivedTargets(entities).map(loaderClass)], styleOf(rules));
}

function entityClass(entity: BoundEntity, isOfSource: boolean, rules: GraphCliRules): ClassText {
  const { name, fields } = entity;
  const own = [
    save(entity),
    ...(rules.loadInBlock ? [load(entity, "loadInBlock", "store.get_in_block")] : []),
    load(entity, "load", "store.get"),
  ];
  return {
    heading: `${name} extends Entity`,
    fields: [],
    methods: [
      entityConstructor(entity),
      // A subgraph does not store another subgraph's entities.
      ...(isOfSource ? [] : own),
      ...fields.flatMap((field) => fieldAccessors(entity, field, rules)),
    ],
  };
}

function entityConstructor({ id }: BoundEntity): MethodText {
  const { type, from } = ids[id];
  return {
    name: "constructor",
    parameters: [{ name: "id", type }],
    body: [statement("super()"), statement(`this.set("id", Value.from${from}(id))`)],
  };
}

function save({ name, id }: BoundEntity): MethodText {
  const { kind, valueText } = ids[id];
  const wrongKind =
    `\`Entities of type ${name} must have an ID of type ${id}` +
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the generated code contains these placeholders
    " but the id '${id.displayData()}' is of type ${id.displayKind()}`";
  return {
    name: "save",
    parameters: [],
    returnType: "void",
    body: [
      statement('let id = this.get("id")'),
      statement(call("assert", ["id != null", literal(`Cannot save ${name} entity without an ID`)])),
      "    if (id) {",
      statement(call("assert", [`id.kind == ValueKind.${kind}`, wrongKind]), 6),
      statement(call("store.set", [literal(name), valueText, "this"]), 6),
      "    }",
    ],
  };
}

function load({ name: entity, id }: BoundEntity, name: string, lookup: string): MethodText {
  const { type, text } = ids[id];
  const found = call(lookup, [literal(entity), text]);
  return {
    name: `static ${name}`,
    parameters: [{ name: "id", type }],
    returnType: `${entity} | null`,
    body: [statement(["return ", call(`changetype<${entity} | null>`, [found])])],
  };
}

/** The distinct entities that derived fields refer to, in order of appearance. Interfaces have no loader. */
function derivedTargets(entities: readonly BoundEntity[]): string[] {
  const derived = entities.flatMap(({ fields }) => fields.filter((field) => field.kind === "derived"));
  return [...new Set(derived.filter(({ hasLoader }) => hasLoader).map(({ of }) => of))];
}

function loaderClass(target: string): ClassText {
  const parameters = ["entity", "id", "field"].map((name) => ({ name, type: "string" }));
  const list: TypeText = { kind: "list", of: target };
  return {
    heading: `${target}Loader extends Entity`,
    fields: ["_entity", "_field", "_id"].map((name) => ({ name, type: "string" })),
    methods: [
      {
        name: "constructor",
        parameters,
        body: [statement("super()"), ...parameters.map(({ name }) => statement(`this._${name} = ${name}`))],
      },
      {
        name: "load",
        parameters: [],
        returnType: list,
        body: [
          statement("let value = store.loadRelated(this._entity, this._id, this._field)"),
          statement(["return ", call({ kind: "generic", name: "changetype", argument: list }, ["value"])]),
        ],
      },
    ],
  };
}
