import type { Details } from "../diagnostics/diagnostic.js";

/**
 * Limit of nested objects and lists. A configuration needs a dozen levels; the limit prevents a stack
 * overflow.
 */
export const maxDepth = 200;

/** The message at the first bracket beyond the limit. */
export const tooDeep: readonly [string, Details] = [
  `values nest deeper than ${maxDepth} levels`,
  { label: `level ${maxDepth + 1}`, hint: "remove brackets repeated by mistake" },
];
