import { DeterministicError } from "../errors.js";

const greatestDepth = 128;

/** @throws DeterministicError when values are nested deeper than anybody needs, as in a list that contains itself */
export function deeper(depth: number): number {
  if (depth >= greatestDepth)
    throw new DeterministicError(`values are nested more than ${greatestDepth} deep`);
  return depth + 1;
}
