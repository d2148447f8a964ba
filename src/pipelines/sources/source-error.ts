import { PipelineError } from "../changes/pipeline-error.js";
/** A source that cannot be read. */
export class SourceError extends PipelineError {
  override readonly name = "SourceError";
}

/**
 * The source does not know a position. The sink may have reported it before both databases returned to an earlier
 * state, so ask the sink again before concluding this.
 */
export class UnknownPositionError extends SourceError {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message, false);
    this.position = position;
  }
}
