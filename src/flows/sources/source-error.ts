import { FlowError } from "../changes/flow-error.js";
/** A source that cannot be read. */
export class SourceError extends FlowError {
  override readonly name = "SourceError";
}
