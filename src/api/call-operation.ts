import { checkAnswer } from "./answers/check-answer.js";
import { type OperationId, operationOf } from "./api-document.js";
import { type ApiConnection, callRoute, type Extras } from "./call-route.js";
import type { Operations } from "./contract.js";

/** The input of an operation: path, query and body as the contract declares them, or a form in place of the body. */
export type OperationInput<Id extends OperationId> = PartOf<Id, "path"> &
  Partial<PartOf<Id, "query"> & PartOf<Id, "body">> &
  Extras;

type PartOf<Id extends OperationId, Name extends "path" | "query" | "body"> = Pick<
  Operations[Id],
  Extract<keyof Operations[Id], Name>
>;

/**
 * Calls an operation and checks the response against the contract. Only reading operations are retried.
 * @throws ApiProblem if the API refuses
 * @throws ApiAnswerError if the response does not match the contract
 * @throws HttpError if there is no response
 */
export async function callOperation<Id extends OperationId>(
  connection: ApiConnection,
  id: Id,
  input: OperationInput<Id>,
): Promise<Operations[Id]["answer"]> {
  const operation = operationOf(id);
  const { text, secrets } = await callRoute(connection, operation, input);
  return checkAnswer({ ...operation, id }, text, secrets);
}
