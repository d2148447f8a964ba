/** A sentence with its first letter in lower case, as after a colon. A word in capitals stays unchanged. */
export function uncapitalized(sentence: string): string {
  if (/^[A-Z][A-Z\d]/.test(sentence)) return sentence;
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
