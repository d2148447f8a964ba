import { DeterministicError } from "../errors.js";

/** A write that violates the schema; deterministic. */
export class EntityError extends DeterministicError {
  override readonly name = "EntityError";
}

/** A mapping set a field there is none of. Of all that the schema does not allow, graph-node bears this alone. */
export class UnknownFieldError extends EntityError {}
