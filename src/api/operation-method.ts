import type { HttpRequest } from "../web/http/http-request.js";
import { type AccountOperationId, accountOperations } from "./account-operations.js";
import { type OperationId, operationOf } from "./api-document.js";
import { type DatasetOperationId, datasetOperations } from "./dataset-operations.js";
import type { Extension } from "./extension.js";

/** An operation of the contract, or one that only graphloom's own server has: of people and projects, or of datasets. */
export type AnyOperationId = OperationId | AccountOperationId | DatasetOperationId;

const own: Readonly<Record<AccountOperationId | DatasetOperationId, Extension>> = {
  ...accountOperations,
  ...datasetOperations,
};

/** The HTTP method of an operation. */
export function methodOf(id: AnyOperationId): HttpRequest["method"] {
  return isOwn(id) ? own[id].method : operationOf(id).method;
}

function isOwn(id: AnyOperationId): id is keyof typeof own {
  return Object.hasOwn(own, id);
}
