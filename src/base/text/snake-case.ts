/** The snake_case form that graph-node uses for tables and columns. Two names with the same form clash. */
export function snakeCase(name: string): string {
  const characters = [...name];
  let out = "";
  let pendingBreak = false;
  for (const [index, character] of characters.entries()) {
    if (!/[A-Za-z0-9]/.test(character)) {
      pendingBreak = out !== "";
      continue;
    }
    const startsWord =
      /[A-Z0-9]/.test(character) &&
      (isLower(characters[index - 1]) || isLower(characters[index + 1])) &&
      out !== "";
    if ((pendingBreak || startsWord) && !out.endsWith("_")) out += "_";
    pendingBreak = false;
    out += character.toLowerCase();
  }
  return out;
}

function isLower(character: string | undefined): boolean {
  return character !== undefined && /[a-z]/.test(character);
}
