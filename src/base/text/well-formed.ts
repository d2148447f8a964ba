declare global {
  interface String {
    /** Replaces lone surrogates by U+FFFD. Node has this method, but the ES2023 library does not declare it. */
    toWellFormed(): string;
  }
}

/**
 * A text that every encoding can hold. Each half of a surrogate pair, which results from cutting a text, becomes
 * U+FFFD, as in encoders. Otherwise, texts that differ here would be equal once stored.
 */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
