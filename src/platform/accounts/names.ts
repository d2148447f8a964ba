/** Characters of the name of a project, a key or a person. */
export const longestName = 80;

/** A name without blanks around it; nothing for one that is blank, too long, or holds control characters. */
export function readName(text: string): string | undefined {
  const name = text.trim();
  const isFit = name !== "" && name.length <= longestName && !/\p{Cc}/u.test(name) && name.isWellFormed();
  return isFit ? name : undefined;
}
