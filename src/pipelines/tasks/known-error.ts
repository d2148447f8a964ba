import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { RangeUnreadError } from "../audit/read-range.js";
import { PipelineError } from "../changes/pipeline-error.js";
import { QueryError } from "../sql/engine.js";

/** Failures of sinks, nodes and transforms are outcomes. @throws all other errors, which are bugs */
export function knownError(error: unknown): Error {
  const kinds = [PipelineError, QueryError, RangeUnreadError, ChainError, ReorgError];
  if (error instanceof Error && kinds.some((kind) => error instanceof kind)) return error;
  throw error;
}

/** Whether another attempt may succeed. */
export function isPassing(error: Error): boolean {
  if (error instanceof PipelineError) return error.isTemporary;
  return error instanceof ChainError || error instanceof ReorgError || error instanceof RangeUnreadError;
}
