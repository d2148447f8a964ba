import { DeterministicError, RetriedError } from "../errors.js";

/** A write that violates the schema. */
export class EntityError extends RetriedError {
  override readonly name = "EntityError";
}

/** A block has changed an immutable entity of an earlier block. This failure is deterministic. */
export class ImmutableError extends DeterministicError {
  override readonly name = "ImmutableError";
  /** The index of the operation among those of the block's handlers, from 0. */
  readonly operation: number;

  constructor(message: string, operation: number) {
    super(message);
    this.operation = operation;
  }
}

/** A mapping set a field that the schema lacks. In graph-node, only this violation of the schema is deterministic. */
export class UnknownFieldError extends DeterministicError {
  override readonly name = "UnknownFieldError";
}
