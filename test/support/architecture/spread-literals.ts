/**
 * Finds literals that are spread into a literal around them, which says the same as without the spread.
 * @param code source without comments
 * @returns the lines, from 1
 */
export function spreadLiterals(code: string): number[] {
  return [...code.matchAll(/\.\.\.([[{])/g)].flatMap(({ index, 1: open }) => {
    const end = endOf(code, index + 3);
    // What follows a list may be a call of one of its methods: `...[a, b].map(f)`.
    const isWhole = open === "{" || /^\s*[,\])}]/.test(code.slice(end));
    return isWhole ? [code.slice(0, index).split("\n").length] : [];
  });
}

/** The index after the bracket that closes the one at `start`. Brackets in texts count, which are balanced in practice. */
function endOf(code: string, start: number): number {
  let depth = 0;
  for (let index = start; index < code.length; index++) {
    if ("[{(".includes(code[index] as string)) depth++;
    if ("]})".includes(code[index] as string) && --depth === 0) return index + 1;
  }
  return code.length;
}
