import { DeterministicError } from "../errors.js";

/** A write that violates the schema; deterministic. */
export class EntityError extends DeterministicError {
  override readonly name = "EntityError";
}
