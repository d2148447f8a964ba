/** How deep objects and lists may nest. A configuration needs a dozen; the rest keeps recursion off the stack's end. */
export const maxDepth = 200;
