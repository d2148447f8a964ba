import { PipelineError } from "../changes/pipeline-error.js";
/** A source that cannot be read. */
export class SourceError extends PipelineError {
  override readonly name = "SourceError";
}

/**
 * The source does not know a position. The sink may have told it before the databases of both went back to an earlier state,
 * so it has to be asked again before that is true.
 */
export class UnknownPositionError extends SourceError {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message, false);
    this.position = position;
  }
}
