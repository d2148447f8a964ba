import type { HttpRequest } from "../web/http/http-request.js";
import { type AccountOperationId, accountOperations } from "./account-operations.js";
import { type OperationId, operationOf } from "./api-document.js";

/** An operation of the contract, or one of people and their projects. */
export type AnyOperationId = OperationId | AccountOperationId;

/** The HTTP method of an operation. */
export function methodOf(id: AnyOperationId): HttpRequest["method"] {
  return isOfAccounts(id) ? accountOperations[id].method : operationOf(id).method;
}

function isOfAccounts(id: AnyOperationId): id is AccountOperationId {
  return Object.hasOwn(accountOperations, id);
}
