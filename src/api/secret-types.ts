import { createRequire } from "node:module";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { present } from "../base/invariant.js";
import { isRecord, parseJson } from "../base/text/json-value.js";
import { parseAddress } from "../web/http/address.js";
import { ownSchemas } from "./own-schemas.js";

/** The value of a secret; its type decides the fields. */
export type SecretValue = Readonly<Record<string, unknown>>;

export interface SecretField {
  readonly name: string;
  /** A short description. */
  readonly meaning: string;
  readonly isRequired: boolean;
  /** Whether prompts hide it. */
  readonly isHidden: boolean;
  readonly isNumber: boolean;
  /** Whether it is the content of a file. */
  readonly isFile: boolean;
  /** The allowed values, if there are few. */
  readonly choices: readonly string[] | undefined;
}

export interface SecretType {
  readonly name: string;
  /** The service that the secret gives access to. */
  readonly meaning: string;
  /** In the order in which the prompts ask for them, without `type`. */
  readonly fields: readonly SecretField[];
}

/** A mistake in a value, described without any part of the value. */
export interface SecretFault {
  /** Absent if it concerns the whole value. */
  readonly field?: string;
  readonly message: string;
}

interface FieldSchema {
  readonly description: string;
  readonly writeOnly?: boolean;
  readonly deprecated?: boolean;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
}

interface TypeSchema {
  readonly description: string;
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
}

/** The document is two folders up from both `src` and `dist`. */
const document = createRequire(import.meta.url)("../../schemas/secrets.schema.json") as {
  readonly oneOf: readonly { readonly $ref: string }[];
  readonly $defs: Readonly<Record<string, TypeSchema>>;
};

export const secretTypes: readonly SecretType[] = document.oneOf.map(({ $ref }) => {
  const name = $ref.replace("#/$defs/", "");
  const { description, properties, required } = schemaOf(name);
  const fields = Object.entries(properties).filter(
    ([field, { deprecated = false }]) => field !== "type" && !deprecated,
  );
  return {
    name,
    meaning: description,
    fields: fields.map(([field, schema]) => ({
      name: field,
      meaning: schema.description,
      isRequired: required.includes(field),
      isHidden: schema.writeOnly === true,
      isNumber: schema.type === "integer",
      isFile: schema.format === "json-object" || schema.format === "certificates",
      choices: schema.enum,
    })),
  };
});

/** The rule for the name of a secret, as the rest of a sentence that begins with the name. */
export const secretNameRule = "must consist of 1 to 100 letters, digits, _ or -";

/** Whether a string is a valid name of a secret. */
export function isSecretName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(text);
}

export function secretTypeOf(name: unknown): SecretType | undefined {
  return secretTypes.find((type) => type.name === name);
}

/**
 * Checks a value against the schema of its type.
 * @returns the mistakes by field; an empty list if the value is valid
 */
export function checkSecretValue(value: unknown): readonly SecretFault[] {
  if (!isRecord(value)) return [{ message: "must be a JSON object with a type and the fields of that type" }];
  const type = secretTypeOf(value.type);
  if (!type) {
    const message = `must be one of ${secretTypes.map(({ name }) => name).join(", ")}`;
    return [{ field: "type", message }];
  }
  const judge = judgeOf(type.name);
  if (judge(value)) return [];
  return [...new Map((judge.errors ?? []).map((error) => faultOf(error, type))).values()];
}

/**
 * The strings of a value that must never be shown, both plain and as JSON escapes them: the fields that prompts hide,
 * and users and passwords in addresses.
 */
export function hiddenTexts(value: SecretValue): readonly string[] {
  const fields = secretTypeOf(value.type)?.fields ?? [];
  const texts = fields.flatMap(({ name, isHidden }) => {
    const text = value[name];
    if (typeof text !== "string" || text === "") return [];
    return isHidden ? [text] : (parseAddress(text)?.credentials ?? []);
  });
  return [...new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
}

let ajv: Ajv2020 | undefined;

function judgeOf(name: string): ValidateFunction {
  ajv ??= new Ajv2020({ ...ownSchemas, allErrors: true })
    .addFormat("json-object", (text) => isRecord(parseJson(text)))
    .addFormat("certificates", true)
    .addSchema({ ...document, $id: "secrets" });
  return present(ajv.getSchema(`secrets#/$defs/${name}`), `there is a schema of ${name}`);
}

function schemaOf(name: string): TypeSchema {
  return present(document.$defs[name], `there is a schema of ${name}`);
}

/** A fault with its key: each field reports only one fault. */
function faultOf(error: ErrorObject, type: SecretType): readonly [string, SecretFault] {
  const { keyword, instancePath, params } = error;
  if (keyword === "additionalProperties") {
    const known = type.fields.map(({ name }) => name).join(", ");
    const given = String(params.additionalProperty);
    // Any other name may be a secret in the wrong place.
    const which = isUsualName(given) ? `the field "${given}", which` : "a field that";
    return [
      `/${isUsualName(given) ? given : ""}`,
      { message: `has ${which} ${type.name} does not have; its fields are type, ${known}` },
    ];
  }
  const field = keyword === "required" ? String(params.missingProperty) : instancePath.slice(1);
  return [field, { field, message: messageOf(error, type, field) }];
}

/** Names of fields in other tools. */
const usualNames: ReadonlySet<string> = new Set([
  "ssl",
  "tls",
  "sslmode",
  "ssl_mode",
  "sslMode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "ca",
  "cert",
  "key",
  "name",
  "description",
  "secret",
  "value",
  "url",
  "uri",
  "address",
  "endpoint",
  "hostname",
  "server",
  "connectionString",
  "connection_string",
  "database",
  "database_name",
  "dbname",
  "db",
  "schema",
  "table",
  "username",
  "user_name",
  "login",
  "pass",
  "pwd",
  "bucket",
  "topic",
  "brokers",
  "mechanism",
  "options",
]);

/** Whether a name reveals nothing about a value, because a type or another tool uses it as a field name. */
function isUsualName(name: string): boolean {
  return (
    usualNames.has(name) || secretTypes.some(({ fields }) => fields.some((field) => field.name === name))
  );
}

function messageOf({ keyword, params }: ErrorObject, type: SecretType, field: string): string {
  const known = type.fields.find(({ name }) => name === field);
  switch (keyword) {
    case "required":
      return `is required: ${known?.meaning}`;
    case "type":
      return params.type === "integer" ? "must be a whole number" : "must be a string";
    case "enum":
      return `must be one of ${known?.choices?.join(", ")}`;
    case "minLength":
      return "must not be empty";
    case "maxLength":
      return `must have at most ${params.limit} characters`;
    case "minimum":
    case "maximum":
      return `must be ${params.comparison} ${params.limit}`;
    default:
      return `is not valid: ${known?.meaning}`;
  }
}
