import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { visible } from "../../base/text/visible.js";
import { redact } from "../../web/http/address.js";
import { apiSchemas, type Operation } from "../api-document.js";
import type { Operations } from "../contract.js";
import type { Extension, Schema } from "../extension.js";
import type { AnyOperationId, OwnOperationId } from "../operation-method.js";
import { ownSchemas } from "../own-schemas.js";
import { ApiAnswerError } from "./answer-error.js";
import { isPage } from "./is-page.js";

const shownLength = 100;
const base = "management-api";

/** Operations whose answers are secrets: no part of them is shown. */
const confidential: ReadonlySet<AnyOperationId> = new Set<AnyOperationId>([
  ...(["createWebhook", "createEdgeEndpoint", "revealEdgeEndpointKey", "revealSecret"] as const),
  ...(["createToken", "createInvitations"] as const),
]);

/** The API may change formats, so they are not checked. */
const options = { ...ownSchemas, validateFormats: false };

let ajv: Ajv2020 | undefined;

/**
 * Checks the body of a successful response against the contract: its fields and their types. Ignores enums, patterns
 * and sizes, which the API may change.
 * @param secrets secrets of the request that the API may repeat and no error may show
 * @throws ApiAnswerError if the body does not match the contract
 */
export function checkAnswer<Id extends keyof Operations>(
  { id, answer }: Operation & { readonly id: Id },
  text: string,
  secrets: readonly string[],
): Operations[Id]["answer"] {
  if (answer === undefined) {
    // The contract describes no body, but a web page comes from a proxy, not from the API.
    if (isPage(text)) parse(id, text, secrets);
    return undefined as Operations[Id]["answer"];
  }
  const value = unwrap(id, parse(id, text, secrets));
  const check = checkerOf(answer);
  if (!check(value)) throw new ApiAnswerError(id, describe(check.errors?.[0]));
  return value as Operations[Id]["answer"];
}

/**
 * The same for an operation outside the contract.
 * @returns the field `data`
 * @throws ApiAnswerError for a body that does not match
 */
export function checkData(
  id: OwnOperationId | "getPipelineState",
  { answer }: Pick<Extension, "answer">,
  text: string,
  secrets: readonly string[],
): unknown {
  if (answer === undefined) {
    if (isPage(text)) parse(id, text, secrets);
    return undefined;
  }
  const value = parse(id, text, secrets);
  checkValue(id, answer, value);
  return (value as { readonly data: unknown }).data;
}

/** Checks a part of an answer, such as an event. @throws ApiAnswerError */
export function checkValue(id: AnyOperationId, schema: Schema, value: unknown): void {
  const check = new Ajv2020(options).compile(Object(relax({ schema }).schema));
  if (!check(value)) throw new ApiAnswerError(id, describe(check.errors?.[0]));
}

function parse(id: AnyOperationId, text: string, secrets: readonly string[]): unknown {
  if (text.trim() === "") throw new ApiAnswerError(id, "is empty, but JSON was expected");
  try {
    return JSON.parse(text);
  } catch {
    if (confidential.has(id)) throw new ApiAnswerError(id, "is not JSON");
    const words = redact(text, secrets).trim();
    const shown = words.length > shownLength ? `${words.slice(0, shownLength)}…` : words;
    throw new ApiAnswerError(id, `is not JSON: "${visible(shown)}"`);
  }
}

/** The contract has no envelope around a deployed subgraph; some servers send one. */
function unwrap(id: keyof Operations, value: unknown): unknown {
  if (id !== "deploySubgraph" || typeof value !== "object" || value === null) return value;
  return "data" in value && !("name" in value) ? value.data : value;
}

function checkerOf(reference: string): ValidateFunction {
  ajv ??= new Ajv2020(options).addSchema({
    $id: base,
    components: { schemas: relax(apiSchemas) },
  });
  const key = `${base}${reference}`;
  const known = ajv.getSchema(key);
  if (known) return known;
  return ajv.compile({ $ref: key });
}

const judges: ReadonlySet<string> = new Set([
  "enum",
  "pattern",
  "format",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
]);

/** The schemas without the constraints that a newer API may loosen: enums, patterns and sizes. */
function relax(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return mapValues(schemas, (schema) => {
    if (typeof schema !== "object" || schema === null) return schema;
    const kept = Object.entries(schema).filter(([keyword]) => !judges.has(keyword));
    return Object.fromEntries(
      kept.map(([keyword, value]) => {
        if (keyword === "properties") return [keyword, relax(value)];
        return [keyword, keyword === "items" ? relax({ value }).value : value];
      }),
    );
  });
}

function mapValues(
  map: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

function describe(error: ErrorObject | undefined): string {
  if (error?.keyword === "required") return `lacks ${error.instancePath}/${error.params.missingProperty}`;
  const place = error?.instancePath ? ` at ${error.instancePath}` : "";
  const wanted = error?.keyword === "type" ? [error.params.type].flat().join(" or ") : undefined;
  return `has an unexpected value${place}${wanted === undefined ? "" : ` (expected ${wanted})`}`;
}
