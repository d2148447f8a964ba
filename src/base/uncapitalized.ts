/** A sentence with its first letter in lower case, as it stands after a colon. */
export function uncapitalized(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
