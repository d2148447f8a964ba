import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { badRequest, type FieldError, Problem } from "./management-problem.js";

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: Json;
}

/** An operation as the document of the API has it. */
export interface ContractOperation {
  readonly id: string;
  readonly method: string;
  readonly segments: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Status of success. */
  readonly status: number;
  /** Reference to the schema of what comes back. */
  readonly answer: string | undefined;
  readonly body: { readonly media: string; readonly schema: string; readonly required: boolean } | undefined;
}

/** What a request asks for. */
export interface Matched {
  readonly operation: ContractOperation;
  readonly path: Readonly<Record<string, string>>;
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }
    >
  >;
}

const document = JSON.parse(
  readFileSync(new URL("../../schemas/management-api.json", import.meta.url), "utf8"),
) as ApiDocument;

const operations: readonly ContractOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const [status, response] = Object.entries(operation.responses)[0] ?? ["200", {}];
    const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      segments: path.split("/").slice(1),
      parameters: operation.parameters ?? [],
      status: Number(status),
      answer: response.content?.["application/json"]?.schema.$ref,
      body:
        media !== undefined && content
          ? { media, schema: content.schema.$ref, required: operation.requestBody?.required === true }
          : undefined,
    };
  }),
);

const ajv = new Ajv2020({ strict: false, allErrors: true })
  .addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
  .addSchema({ $id: "api", components: { schemas: document.components.schemas } });

/**
 * The operation of a request; static parts of paths go before parameters, from left to right.
 * @throws Problem when there is none
 */
export function matchOperation(method: string, segments: readonly string[]): Matched {
  const fitting = operations
    .filter((operation) => operation.method === method && fits(operation, segments))
    .sort((a, b) => rank(a).localeCompare(rank(b)));
  const [operation] = fitting;
  if (!operation)
    throw new Problem(404, "not-found", "Not found", `There is no ${method} ${segments.join("/")}.`);
  const path = Object.fromEntries(
    operation.segments.flatMap((part, index) =>
      part.startsWith("{") ? [[part.slice(1, -1), segments[index] as string]] : [],
    ),
  );
  return { operation, path };
}

function fits({ segments }: ContractOperation, given: readonly string[]): boolean {
  if (segments.length !== given.length) return false;
  return segments.every((part, index) => part.startsWith("{") || part === given[index]);
}

function rank({ segments }: ContractOperation): string {
  return segments.map((part) => (part.startsWith("{") ? "1" : "0")).join("");
}

/**
 * Parameters of the path and the query, numbers as numbers.
 * @throws Problem for what the contract does not have or allow
 */
export function readParameters(
  { operation, path }: Matched,
  query: URLSearchParams,
): Record<string, string | number> {
  const errors: FieldError[] = [];
  const values: Record<string, string | number> = {};
  for (const name of query.keys()) {
    if (operation.parameters.some((parameter) => parameter.in === "query" && parameter.name === name))
      continue;
    errors.push({ field: name, message: "is not a parameter" });
  }
  for (const { name, in: place, schema, required } of operation.parameters) {
    const given = place === "path" ? path[name] : (query.get(name) ?? undefined);
    if (given === undefined) {
      if (required) errors.push({ field: name, message: "is required" });
      continue;
    }
    const isNumber = schema.type === "integer" || schema.type === "number";
    const value = isNumber && given.trim() !== "" ? Number(given) : given;
    const check = compile(schema);
    if (check(value)) values[name] = value;
    else errors.push({ field: name, message: check.errors?.[0]?.message ?? "is wrong" });
  }
  if (errors.length > 0) throw badRequest(...errors);
  return values;
}

function compile(schema: Json): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
  return ajv.compile(JSON.parse(text));
}

/**
 * Compares the fields of a request with the contract; there may be no others.
 * @throws Problem that names the fields
 */
export function checkBody(reference: string, value: unknown): void {
  const properties = Object.keys(propertiesOf(reference));
  const unknown = Object.keys(typeof value === "object" && value !== null ? value : {})
    .filter((name) => !properties.includes(name))
    .map((field) => ({ field, message: "is not a field" }));
  const check = compile({ $ref: reference });
  const errors = check(value) ? [] : (check.errors ?? []).map(fieldError);
  if (unknown.length + errors.length > 0) throw badRequest(...unknown, ...errors);
}

function propertiesOf(reference: string): Json {
  const schema = document.components.schemas[reference.replace("#/components/schemas/", "")];
  return (schema?.properties ?? {}) as Json;
}

function fieldError({ instancePath, keyword, params, message }: ErrorObject): FieldError {
  const name = keyword === "required" ? `${instancePath}/${params.missingProperty}` : instancePath;
  return { field: name.slice(1), message: message ?? "is wrong" };
}

/** What the server itself says has to fit its contract, too. */
export function checkOwnAnswer({ id, answer }: ContractOperation, value: unknown): void {
  if (answer === undefined) return;
  const check = compile({ $ref: answer });
  if (!check(value)) throw new Error(`The test server's answer to ${id}: ${ajv.errorsText(check.errors)}`);
}
