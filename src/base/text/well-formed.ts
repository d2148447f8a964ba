declare global {
  interface String {
    /** Replaces lone surrogates by U+FFFD. Node has this method, but the ES2023 library does not declare it. */
    toWellFormed(): string;
  }
}

/**
 * A text that every encoding can hold. Half a surrogate pair, left over when a text is cut, becomes U+FFFD, as in
 * encoders. Otherwise, texts that differ here would be equal once stored.
 */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
