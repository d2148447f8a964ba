import { createRequire } from "node:module";
import { present } from "../base/invariant.js";
import type { HttpRequest } from "../web/http/http-request.js";
import type { Operations } from "./contract.js";

/** The `operationId` of an operation of the API. */
export type OperationId = keyof Operations;

/** The HTTP method and path of an operation, and the schemas of its request and response. */
export interface Operation {
  readonly id: OperationId;
  readonly method: HttpRequest["method"];
  /** Path template below the base address: `/subgraphs/{name}/{version}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The body to send; absent if there is none. */
  readonly body: OperationBody | undefined;
  readonly status: number;
  /**
   * `$ref` of the schema of the response: `#/components/schemas/SubgraphPage`; absent if the document describes none.
   */
  readonly answer: string | undefined;
}

/** A part of the path, or of the query. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface OperationBody {
  /** `application/json`, or `multipart/form-data`. */
  readonly media: string;
  /** `$ref` of its schema. */
  readonly schema: string;
  readonly required: boolean;
}

/** The parts of an OpenAPI document that are used here. */
export interface ApiDocument {
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly [others: string]: unknown;
  };
}

/** An operation in an OpenAPI document. */
export interface OperationObject {
  readonly operationId: OperationId;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;

/** The document is two folders up from both `src` and `dist`. */
export const apiDocument = createRequire(import.meta.url)("../../schemas/management-api.json") as ApiDocument;

const operations: ReadonlyMap<OperationId, Operation> = new Map(
  Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, object]) => [
      object.operationId,
      readOperation(path, method, object),
    ]),
  ),
);

function readOperation(path: string, method: string, object: OperationObject): Operation {
  const { operationId: id, parameters = [], requestBody, responses } = object;
  const [status = "200", response] = Object.entries(responses)[0] ?? [];
  const [media, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return {
    id,
    method: method.toUpperCase() as HttpRequest["method"],
    path,
    parameters,
    body:
      media !== undefined && content
        ? { media, schema: content.schema.$ref, required: requestBody?.required === true }
        : undefined,
    status: Number(status),
    answer: response?.content?.["application/json"]?.schema.$ref,
  };
}

/** The operation with this `operationId`. */
export function operationOf(id: OperationId): Operation {
  return present(operations.get(id), `the document of the API has the operation ${id}`);
}

/** All operations, in the document's order. */
export const allOperations: readonly Operation[] = [...operations.values()];

export const apiSchemas = apiDocument.components.schemas;
