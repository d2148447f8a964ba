/**
 * The snake_case form graph-node makes of a name to get its database table or column.
 * Two names with one such form cannot live side by side.
 */
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
