import { DeterministicError, RetriedError } from "../errors.js";

/** A write that violates the schema. */
export class EntityError extends RetriedError {
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

/** A mapping set a field there is none of. Of all that the schema does not allow, this alone is deterministic on a graph-node. */
export class UnknownFieldError extends DeterministicError {
  override readonly name = "UnknownFieldError";
}
