import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** The parts of JSON Schema that the management API's document uses. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly contentMediaType?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query";
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

type Schemas = Readonly<Record<string, Schema>>;

/** The types of answer envelopes, by the names of their fields. */
const envelopes: Readonly<Record<string, string>> = { data: "Data", "data,pagination": "Page" };

const envelopeTypes = `/** An answer in its envelope. */
export interface Data<Value> {\nreadonly data: Value;\n}

/** A page of a list. */
export interface Page<Item> extends Data<readonly Item[]> {\nreadonly pagination: Pagination;\n}`;

/** The types of path parameters, by their members. */
const pathTypes: Readonly<Record<string, string>> = {
  "readonly name: string;": "NamePath",
  "readonly name: SubgraphName;": "SubgraphPath",
  "readonly name: SubgraphName;\nreadonly version: VersionLabel;": "VersionPath",
};

/** The fewest fields that a type must share with a second one to become its base. */
const fewestShared = 4;

/** The source of `src/api/contract.ts`: the types that `schemas/management-api.json` describes, formatted. */
export function generateContract(): string {
  const document = JSON.parse(
    readFileSync(new URL("schemas/management-api.json", root), "utf8"),
  ) as ApiDocument;
  const { schemas } = document.components;
  const types = Object.entries(schemas).map(([name, schema]) => declaration(name, schema, schemas));
  const paths = Object.entries(pathTypes).map(
    ([members, name]) => `/** The parameters of a path. */\nexport interface ${name} {\n${members}\n}`,
  );
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const text = [
    `// Made from schemas/management-api.json: UPDATE_GOLDEN=1 npx vitest run test/api/contract.test.ts
// Enumerations end with \`string & {}\` because the API may use values that are not known yet.`,
    envelopeTypes,
    ...types,
    ...paths,
    `/** The request and the answer of each operation, by its \`operationId\`. */
    export interface Operations {\n${operations.map(member).join("\n")}\n}`,
    "",
  ].join("\n\n");
  return format(withNamedWords(text, schemas));
}

function declaration(name: string, schema: Schema, schemas: Schemas): string {
  const comment = schema.description === undefined ? "" : `/** ${schema.description} */\n`;
  const envelope = envelopeOf(schema);
  if (envelope !== undefined) return `${comment}export type ${name} = ${envelope};`;
  if (!schema.properties) return `${comment}export type ${name} = ${typeOf(schema)};`;
  const members = membersOf(schema);
  const names = Object.keys(schemas);
  const base = names.slice(0, names.indexOf(name)).find((other) => {
    const shared = membersOf(schemas[other] ?? {});
    return shared.length >= fewestShared && shared.every((each) => members.includes(each));
  });
  if (base === undefined) return `${comment}export interface ${name} ${typeOf(schema)}`;
  const shared = membersOf(schemas[base] ?? {});
  const own = members.filter((each) => !shared.includes(each));
  if (own.length === 0) return `${comment}export type ${name} = ${base};`;
  return `${comment}export interface ${name} extends ${base} {\n${own.join("\n")}\n}`;
}

/** The type of an answer that is an envelope; undefined for a type with further fields. */
function envelopeOf({ properties = {} }: Schema): string | undefined {
  const envelope = envelopes[Object.keys(properties).join(",")];
  if (envelope === undefined || !properties.data) return undefined;
  const value = envelope === "Page" ? properties.data.items : properties.data;
  return value && `${envelope}<${typeOf(value)}>`;
}

/** Replaces an enumeration inside a type by the named type with the same values. */
function withNamedWords(text: string, schemas: Schemas): string {
  const lists = Object.entries(schemas).filter(([, schema]) => schema.enum);
  return lists.reduce((done, [name, { enum: words = [] }]) => {
    const list = words.map((word) => JSON.stringify(word)).join(" | ");
    return done.replace(`${list} | null | (string & {})`, `${name} | null`);
  }, text);
}

function member(operation: Operation): string {
  const of = (place: "path" | "query"): string => {
    const fields = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    if (fields.length === 0) return "";
    const members = fields.map(({ name, required, schema }) => field(name, schema, required)).join("\n");
    return `readonly ${place}: ${pathTypes[members] ?? `{${members}}`};`;
  };
  const body = schemaOf(operation.requestBody?.content);
  const answer = schemaOf(Object.values(operation.responses)[0]?.content);
  const parts = [
    of("path"),
    of("query"),
    body ? `readonly body: ${typeOf(body)};` : "",
    `readonly answer: ${answer ? typeOf(answer) : "undefined"};`,
  ];
  return `/** ${operation.summary} */\nreadonly ${operation.operationId}: {${parts.join(" ")}};`;
}

function schemaOf(content: Content | undefined): Schema | undefined {
  return Object.values(content ?? {})[0]?.schema;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.enum) return [...schema.enum.map((word) => JSON.stringify(word)), "(string & {})"].join(" | ");
  if (schema.contentMediaType !== undefined) return "Uint8Array";
  if (schema.items) return `readonly ${typeOf(schema.items)}[]`;
  if (schema.properties) {
    const members = membersOf(schema);
    // The line break makes the formatter keep a leading comment on its own line.
    return `{${members[0]?.startsWith("/**") ? "\n" : ""}${members.join("\n")}}`;
  }
  return [schema.type ?? []].flat().map(plainType).join(" | ");
}

function membersOf({ properties = {}, required = [] }: Schema): readonly string[] {
  return Object.entries(properties).map(([name, part]) => field(name, part, required.includes(name)));
}

function field(name: string, schema: Schema, isRequired: boolean): string {
  const comment = schema.description === undefined ? "" : `/** ${schema.description} */\n`;
  return `${comment}readonly ${name}${isRequired ? "" : "?"}: ${typeOf(schema)};`;
}

function plainType(type: string): string {
  if (type === "integer") return "number";
  return type === "object" ? "Readonly<Record<string, unknown>>" : type;
}

function format(text: string): string {
  const biome = fileURLToPath(new URL("node_modules/.bin/biome", root));
  return execFileSync(biome, ["format", "--stdin-file-path=src/api/contract.ts"], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
}
