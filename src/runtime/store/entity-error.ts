import { DeterministicError } from "../errors.js";

/** What a mapping asked of the store that the schema does not allow. Every node would refuse it. */
export class EntityError extends DeterministicError {
  override readonly name = "EntityError";
}
