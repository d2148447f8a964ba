/** Maximum characters of a name in the subject of a message. */
const longest = 60;

/** A name for the subject of a message: quoted, on one line, and without characters that reorder the text around it. */
export function quoted(name: string): string {
  const plain = name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/["“”„«»]/g, "'")
    .trim();
  const characters = [...plain];
  const shown = characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : plain;
  return `"${shown}"`;
}
