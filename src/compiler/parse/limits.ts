import type { Details } from "../diagnostics/diagnostic.js";

/** How deep objects and lists may nest. A configuration needs a dozen; the rest keeps recursion off the stack's end. */
export const maxDepth = 200;

/** What is said at the first bracket beyond that. */
export const tooDeep: readonly [string, Details] = [
  `values nest deeper than ${maxDepth} levels`,
  { label: `level ${maxDepth + 1}`, hint: "remove the brackets that are repeated by mistake" },
];
