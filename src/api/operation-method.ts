import type { HttpRequest } from "../web/http/http-request.js";
import { type AccountOperationId, accountOperations } from "./account-operations.js";
import { type OperationId, operationOf } from "./api-document.js";
import { type BuildOperationId, buildOperations } from "./build-operations.js";
import { type DatasetOperationId, datasetOperations } from "./dataset-operations.js";
import {
  type DumpOperationId,
  dumpOperations,
  type RestoreOperationId,
  restoreOperations,
} from "./dump-operations.js";
import type { Extension } from "./extension.js";
import { type HostedSinkOperationId, hostedSinkOperations } from "./hosted-sink-operations.js";
import { type PipelineOperationId, pipelineOperations } from "./pipeline-operations.js";
import { type PipelineTaskOperationId, pipelineTaskOperations } from "./pipeline-tasks.js";
import { type RewindOperationId, rewindOperations } from "./rewind-operations.js";

/**
 * An operation that only graphloom's server has: on people and projects, builds, dumps, restores, rewinds, datasets,
 * pipelines, or hosted sinks.
 */
export type OwnOperationId =
  | AccountOperationId
  | BuildOperationId
  | DatasetOperationId
  | DumpOperationId
  | HostedSinkOperationId
  | PipelineOperationId
  | PipelineTaskOperationId
  | RestoreOperationId
  | RewindOperationId;

/** An operation of the contract, or one that only graphloom's server has. */
export type AnyOperationId = OperationId | OwnOperationId;

const own: Readonly<Record<OwnOperationId, Extension>> = {
  ...accountOperations,
  ...buildOperations,
  ...datasetOperations,
  ...dumpOperations,
  ...hostedSinkOperations,
  ...pipelineOperations,
  ...pipelineTaskOperations,
  ...restoreOperations,
  ...rewindOperations,
};

/** The HTTP method of an operation. */
export function methodOf(id: AnyOperationId): HttpRequest["method"] {
  return isOwn(id) ? own[id].method : operationOf(id).method;
}

function isOwn(id: AnyOperationId): id is keyof typeof own {
  return Object.hasOwn(own, id);
}
