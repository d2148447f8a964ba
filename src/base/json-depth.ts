/**
 * Whether a JSON text has lists and objects within each other more deeply than allowed. Looks at the text alone, in one
 * pass: what is nested without end must not be given to anything that calls itself for each level.
 */
export function nestsDeeper(text: string, allowed: number): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) isInText = !isInText;
    else if (isInText) at += Number(sign === backslash);
    else if (sign === openList || sign === openObject) depth += 1;
    else if (sign === closeList || sign === closeObject) depth -= 1;
    if (depth > allowed) return true;
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
