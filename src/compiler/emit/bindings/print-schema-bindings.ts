import type { EntityModel } from "../../model/entity-model.js";
import { fieldAccessors } from "./field-accessors.js";
import {
  type ClassText,
  call,
  literal,
  type MethodText,
  printFile,
  statement,
  type TypeText,
} from "./syntax.js";

// All of them, used or not, as in graph-cli's output.
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

const id = { name: "id", type: "string" };

/** The text of `generated/schema.ts`, byte for byte what `graph codegen` writes. Every id is an `ID!`. */
export function printSchemaBindings(entities: readonly EntityModel[]): string {
  return printFile(imports, [...entities.map(entityClass), ...derivedTargets(entities).map(loaderClass)]);
}

function entityClass({ name, fields }: EntityModel): ClassText {
  return {
    heading: `${name} extends Entity`,
    fields: [],
    methods: [
      entityConstructor,
      save(name),
      load(name, "loadInBlock", "store.get_in_block"),
      load(name, "load", "store.get"),
      ...fields.flatMap((field) => fieldAccessors(name, field)),
    ],
  };
}

const entityConstructor: MethodText = {
  name: "constructor",
  parameters: [id],
  body: [statement("super()"), statement('this.set("id", Value.fromString(id))')],
};

function save(entity: string): MethodText {
  const wrongKind =
    `\`Entities of type ${entity} must have an ID of type String` +
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the generated code contains these placeholders
    " but the id '${id.displayData()}' is of type ${id.displayKind()}`";
  return {
    name: "save",
    parameters: [],
    returnType: "void",
    body: [
      statement('let id = this.get("id")'),
      statement(call("assert", ["id != null", literal(`Cannot save ${entity} entity without an ID`)])),
      "    if (id) {",
      statement(call("assert", ["id.kind == ValueKind.STRING", wrongKind]), 6),
      statement(call("store.set", [literal(entity), "id.toString()", "this"]), 6),
      "    }",
    ],
  };
}

function load(entity: string, name: string, lookup: string): MethodText {
  const found = call(lookup, [literal(entity), "id"]);
  return {
    name: `static ${name}`,
    parameters: [id],
    returnType: `${entity} | null`,
    body: [statement(["return ", call(`changetype<${entity} | null>`, [found])])],
  };
}

/** The distinct entities that derived fields refer to, in order of appearance. */
function derivedTargets(entities: readonly EntityModel[]): string[] {
  const derived = entities.flatMap(({ fields }) => fields.filter((field) => field.derivedFrom !== undefined));
  return [...new Set(derived.map(({ of }) => of.name))];
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
