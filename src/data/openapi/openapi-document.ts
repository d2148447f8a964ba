import type { Parameter, Parameters } from "../answers/parameters.js";
import { mostTokens as mostItems } from "../wallets/wallet-parameters.js";
import type { Operation, Schema } from "./operation.js";
import { operations } from "./operations.js";
import { named, schemas } from "./schemas.js";

export const interfaceVersion = "0.1.0";

const always: Readonly<Record<number, string>> = {
  400: "The request is not valid",
  401: "The API key is missing or wrong",
  504: "The database did not answer in time",
};

/** The headers of successful answers. */
const answerHeaders: Readonly<Record<string, Schema>> = {
  "x-blocks": header(
    'the block of each chain that the answer is of: <chain>;number=<number>;hash="<hash>";time=<seconds since 1970>, separated by commas',
  ),
  "x-block-number": header("the same for answers of one chain: its number"),
  "x-block-hash": header("its hash"),
  "x-block-timestamp": header("its timestamp, in seconds since 1970"),
  "cache-control": header("a day for what no reorganisation changes, seconds for the rest"),
};

/**
 * The OpenAPI document of the service.
 * @param address the address that serves it
 * @param inFront the meaning of the statuses that a server in front returns for refused requests
 */
export function openApiDocument(address: string, inFront: Readonly<Record<number, string>> = {}): Schema {
  return {
    openapi: "3.1.0",
    info: {
      title: "graphloom: data service",
      version: interfaceVersion,
      description:
        "Read-only data of chains. Every answer says which block it is of. A query that selects nothing is answered with 200 and empty data. What cannot be had now is refused with 503, error.chains and Retry-After, and is never shown as 0.",
    },
    ...(address !== "" && { servers: [{ url: address }] }),
    security: [{ header: [] }, { bearer: [] }, { query: [] }],
    tags: [
      { name: "blocks", description: "Block headers" },
      { name: "feeds", description: "What wallets hold and moved" },
      { name: "market", description: "What wallets did, hold and won on a prediction market" },
      { name: "status", description: "How fresh and how complete the data is" },
    ].filter(({ name }) => operations.some(({ tag }) => tag === name)),
    paths: Object.fromEntries(
      operations.map((operation) => [operation.path, { get: describe(operation, inFront) }]),
    ),
    components: {
      schemas,
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "x-api-key" },
        bearer: { type: "http", scheme: "bearer" },
        query: { type: "apiKey", in: "query", name: "key" },
      },
    },
  };
}

function describe(
  {
    id,
    tag,
    summary,
    description,
    pathParameters,
    parameters,
    answer,
    failures,
    conflicts,
    requires,
  }: Operation,
  inFront: Readonly<Record<number, string>>,
): Schema {
  const failed = Object.entries({ ...always, ...inFront, ...failures }).map(([status, why]) => [
    status,
    {
      description: why,
      content: { "application/json": { schema: named("Error") } },
      ...(["429", "503"].includes(status) && { headers: { "retry-after": header("seconds to wait") } }),
    },
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(conflicts && { "x-conflicts": conflicts }),
    ...(requires && { "x-requires": requires }),
    parameters: [...parametersOf("path", pathParameters ?? {}), ...parametersOf("query", parameters)],
    responses: {
      200: {
        description: "Success",
        headers: answerHeaders,
        content: { "application/json": { schema: named(answer) } },
      },
      ...Object.fromEntries(failed),
    },
  };
}

function parametersOf(place: "path" | "query", parameters: Parameters): readonly Schema[] {
  return Object.entries(parameters).map(([name, parameter]) => ({
    name,
    in: place,
    required: parameter.required ?? false,
    description: parameter.description,
    schema: schemaOf(parameter),
    ...(parameter.example !== undefined && { example: parameter.example }),
  }));
}

const types = {
  int64: { type: "integer", format: "int64" },
  int32: { type: "integer", format: "int32" },
  double: { type: "number", format: "double" },
  boolean: { type: "boolean" },
  string: { type: "string", minLength: 1 },
} as const;

function schemaOf({ type, minimum, maximum, values, pattern, items, format, usual }: Parameter): Schema {
  return {
    ...types[type],
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(values && { enum: values }),
    ...(pattern && { pattern: pattern.source }),
    ...(items && { pattern: listOf(items.source) }),
    ...(format && { format }),
    ...(usual !== undefined && { default: usual }),
  };
}

/** The pattern of a list whose items have the given pattern. */
function listOf(item: string): string {
  return `^\\s*(?:${item})\\s*(?:,\\s*(?:${item})\\s*){0,${mostItems - 1}}$`;
}

function header(description: string): Schema {
  return { description, schema: { type: "string" } };
}
