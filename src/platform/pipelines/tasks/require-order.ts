import { Problem } from "../../problem.js";

/** Checks that a range of blocks does not end before it begins. @throws Problem `bad-request`, at the field `to_block` */
export function requireOrder(from: number, to: number): void {
  if (from <= to) return;
  throw new Problem("bad-request", "The range ends before it begins.", {
    errors: [{ field: "to_block", message: `must be ${from} or more` }],
  });
}
