/**
 * Whether a JSON text nests lists and objects more deeply than allowed. Scans the text in one pass, because deeply nested
 * text must not reach a recursive function.
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
