import { DeterministicError } from "../errors.js";

const greatestDepth = 128;

/** Increments a depth. @throws DeterministicError beyond the limit, for example for a list that contains itself */
export function deeper(depth: number): number {
  if (depth >= greatestDepth)
    throw new DeterministicError(`values are nested more than ${greatestDepth} levels deep`);
  return depth + 1;
}
