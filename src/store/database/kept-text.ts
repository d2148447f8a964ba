const longest = 10_000;

/**
 * A text that the database can hold: mappings and manifests may say anything. Of a long one its beginning, with signs for
 * what a text of the database cannot have: a zero, and half of a character.
 */
export function keptText(text: string): string {
  return Buffer.from(text.slice(0, longest).replaceAll("\0", "\u2400")).toString();
}
