/** Splits a comma-separated list and trims its entries. Commas inside brackets do not separate entries. */
export function splitList(text: string): readonly string[] {
  const entries: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    else if (text[at] === "," && depth <= 0) {
      entries.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...entries, text.slice(start).trim()];
}
