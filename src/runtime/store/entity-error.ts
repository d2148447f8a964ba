import { DeterministicError } from "../errors.js";

/** What a mapping asked of the store that the schema does not allow. Every node would refuse it. */
export class EntityError extends DeterministicError {
  override readonly name = "EntityError";
}

/** A mapping set a field there is none of. Of all that the schema does not allow, graph-node bears this alone. */
export class UnknownFieldError extends EntityError {}
