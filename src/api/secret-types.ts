import { createRequire } from "node:module";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { present } from "../base/invariant.js";
import { isRecord, parseJson } from "../base/json-value.js";
import { parseAddress } from "../web/http/address.js";
import { ownSchemas } from "./own-schemas.js";

/** The value of a secret; its fields are those of its type. */
export type SecretValue = Readonly<Record<string, unknown>>;

/** A field of a type of secrets. */
export interface SecretField {
  readonly name: string;
  /** What it is, in a few words. */
  readonly meaning: string;
  readonly isRequired: boolean;
  /** Whether it is not to be seen while it is typed. */
  readonly isHidden: boolean;
  readonly isNumber: boolean;
  /** Whether it is what a JSON file holds. */
  readonly isFile: boolean;
  /** All it may be, where that is a few words. */
  readonly choices: readonly string[] | undefined;
}

/** A type of secrets. */
export interface SecretType {
  readonly name: string;
  /** What is reached with it. */
  readonly meaning: string;
  /** In the order in which people are asked for them; `type` is not among them. */
  readonly fields: readonly SecretField[];
}

/** What is wrong with a value. It never has anything of the value in it. */
export interface SecretFault {
  /** Missing when it is the whole. */
  readonly field?: string;
  readonly message: string;
}

interface FieldSchema {
  readonly description: string;
  readonly writeOnly?: boolean;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
}

interface TypeSchema {
  readonly description: string;
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
}

/** The document lies beside both `src` and `dist`, two folders up. */
const document = createRequire(import.meta.url)("../../schemas/secrets.schema.json") as {
  readonly oneOf: readonly { readonly $ref: string }[];
  readonly $defs: Readonly<Record<string, TypeSchema>>;
};

/** The types of secrets, in the order of the document. */
export const secretTypes: readonly SecretType[] = document.oneOf.map(({ $ref }) => {
  const name = $ref.replace("#/$defs/", "");
  const { description, properties, required } = schemaOf(name);
  const fields = Object.entries(properties).filter(([field]) => field !== "type");
  return {
    name,
    meaning: description,
    fields: fields.map(([field, schema]) => ({
      name: field,
      meaning: schema.description,
      isRequired: required.includes(field),
      isHidden: schema.writeOnly === true,
      isNumber: schema.type === "integer",
      isFile: schema.format === "json-object",
      choices: schema.enum,
    })),
  };
});

/** What the name of a secret has to be like, in words that follow what is called so. */
export const secretNameRule = "must consist of 1 to 100 letters, digits, _ or -";

/** Whether a text can be the name of a secret. */
export function isSecretName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(text);
}

/** The type with this name. */
export function secretTypeOf(name: unknown): SecretType | undefined {
  return secretTypes.find((type) => type.name === name);
}

/**
 * Holds a value against the schema of its type.
 * @returns what is wrong, by field; nothing when it is right
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
 * The texts of a value that nobody may see, as they are and as JSON has them: those that are hidden while they are
 * typed, and what addresses have of users and passwords.
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
    .addSchema({ ...document, $id: "secrets" });
  return present(ajv.getSchema(`secrets#/$defs/${name}`), `there is a schema of ${name}`);
}

function schemaOf(name: string): TypeSchema {
  return present(document.$defs[name], `there is a schema of ${name}`);
}

/** A fault in words, and by what it is kept: of one field, one fault is told. */
function faultOf(error: ErrorObject, type: SecretType): readonly [string, SecretFault] {
  const { keyword, instancePath, params } = error;
  if (keyword === "additionalProperties") {
    // What the field is called may be a secret that went astray.
    const known = type.fields.map(({ name }) => name).join(", ");
    return ["", { message: `has a field that ${type.name} does not have; its fields are type, ${known}` }];
  }
  const field = keyword === "required" ? String(params.missingProperty) : instancePath.slice(1);
  return [field, { field, message: messageOf(error, type, field) }];
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
