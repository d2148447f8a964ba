import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** A JSON Schema, as far as the document of the management API uses it. */
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
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The text of `src/api/contract.ts`: the types that `schemas/management-api.json` describes, formatted. */
export function generateContract(): string {
  const document = JSON.parse(
    readFileSync(new URL("schemas/management-api.json", root), "utf8"),
  ) as ApiDocument;
  const types = Object.entries(document.components.schemas).map(([name, schema]) =>
    declaration(name, schema),
  );
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const text = [
    `// Made from schemas/management-api.json: UPDATE_GOLDEN=1 npx vitest run test/api/contract.test.ts
// Lists of words end with \`string & {}\`: the API may use words that are not known yet.`,
    ...types,
    `/** What goes to each operation and what comes back, by its \`operationId\`. */
    export interface Operations {\n${operations.map(member).join("\n")}\n}`,
    "",
  ].join("\n\n");
  return format(text);
}

function declaration(name: string, schema: Schema): string {
  const comment = schema.description === undefined ? "" : `/** ${schema.description} */\n`;
  return schema.properties
    ? `${comment}export interface ${name} ${typeOf(schema)}`
    : `${comment}export type ${name} = ${typeOf(schema)};`;
}

function member(operation: Operation): string {
  const of = (place: "path" | "query"): string => {
    const fields = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    if (fields.length === 0) return "";
    const members = fields.map(({ name, required, schema }) => field(name, schema, required));
    return `readonly ${place}: {${members.join("\n")}};\n`;
  };
  const body = schemaOf(operation.requestBody?.content);
  const answer = schemaOf(Object.values(operation.responses)[0]?.content);
  return `/** ${operation.summary} */
    readonly ${operation.operationId}: {
      ${of("path")}${of("query")}${body ? `readonly body: ${typeOf(body)};\n` : ""}readonly answer: ${answer ? typeOf(answer) : "undefined"};
    };`;
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
    const { properties, required = [] } = schema;
    const fields = Object.entries(properties).map(([name, part]) =>
      field(name, part, required.includes(name)),
    );
    // With a line break the formatter keeps a comment that comes first in a line of its own.
    return `{${fields[0]?.startsWith("/**") ? "\n" : ""}${fields.join("\n")}}`;
  }
  return [schema.type ?? []].flat().map(plainType).join(" | ");
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
