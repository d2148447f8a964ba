declare global {
  interface String {
    /** Replaces lone surrogates by U+FFFD. Node has this method, but the ES2023 library does not declare it. */
    toWellFormed(): string;
  }
}

/**
 * A text that every encoding can hold. Each half of a surrogate pair, which a program makes when it cuts a text, becomes
 * U+FFFD, as encoders make it. Without this, texts that differ here would be equal where they are stored.
 */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
