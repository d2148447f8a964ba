import { createRequire } from "node:module";
import { present } from "../base/invariant.js";
import type { HttpRequest } from "../web/http/http-request.js";
import type { Operations } from "./contract.js";

/** The `operationId` of an operation of the API. */
export type OperationId = keyof Operations;

/** The HTTP method and path of an operation, and the schema of its response. */
export interface Operation {
  readonly id: OperationId;
  readonly method: HttpRequest["method"];
  /** Path template below the base address: `/subgraphs/{name}/{version}`. */
  readonly path: string;
  /**
   * `$ref` of the schema of the response: `#/components/schemas/SubgraphPage`; absent when the document
   * describes none.
   */
  readonly answer: string | undefined;
}

/** The part of the OpenAPI document that is read here. */
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface OperationObject {
  readonly operationId: OperationId;
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }
    >
  >;
}

/** The document lies beside both `src` and `dist`, two folders up. */
const document = createRequire(import.meta.url)("../../schemas/management-api.json") as ApiDocument;

const operations: ReadonlyMap<OperationId, Operation> = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, responses }]) => {
      const content = Object.values(responses)[0]?.content;
      const answer = content?.["application/json"]?.schema.$ref;
      return [id, { id, method: method.toUpperCase() as HttpRequest["method"], path, answer }];
    }),
  ),
);

/** The operation with this `operationId`. */
export function operationOf(id: OperationId): Operation {
  return present(operations.get(id), `the document of the API has the operation ${id}`);
}

/** All schemas of the document, by name. */
export const apiSchemas = document.components.schemas;
