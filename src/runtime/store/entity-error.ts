import { DeterministicError } from "../errors.js";

/** A write that violates the schema; deterministic. */
export class EntityError extends DeterministicError {
  override readonly name = "EntityError";
}

/** A block has changed an immutable entity of an earlier one; deterministic. */
export class ImmutableError extends DeterministicError {
  override readonly name = "ImmutableError";
  /** Which of the operations of the block's handlers it was: they are counted from 0. */
  readonly operation: number;

  constructor(message: string, operation: number) {
    super(message);
    this.operation = operation;
  }
}

/** A mapping set a field there is none of. Of all that the schema does not allow, graph-node bears this alone. */
export class UnknownFieldError extends EntityError {}
