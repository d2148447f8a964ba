import { PipelineError } from "../changes/pipeline-error.js";

/** A sink that cannot be written. */
export class SinkError extends PipelineError {
  override readonly name = "SinkError";
}

/**
 * What a sink keeps is older than what this process has kept there. The next attempt reads its position again.
 * @param what where it is kept
 */
export function wentBack(what: string): SinkError {
  return new SinkError(
    `The ${what} has gone back to an earlier state, as after a failover or a restore. The sink reads its position again.`,
    true,
  );
}
