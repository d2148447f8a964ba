/** A zero byte, or half of a surrogate pair. */
const unstorable = /\0|\p{Surrogate}/u;

/** The part of a text that no database can store unchanged. */
export interface Unstorable {
  /** Offset in the text. */
  readonly at: number;
  readonly what: "a zero byte" | "half of a surrogate pair";
}

/** Finds the first part of a text that no database can store; `undefined` if there is none. */
export function unstorableIn(text: string): Unstorable | undefined {
  // Nearly all texts are sound, and this is faster than the search.
  if (text.isWellFormed() && !text.includes("\0")) return undefined;
  const at = text.search(unstorable);
  return { at, what: text[at] === "\0" ? "a zero byte" : "half of a surrogate pair" };
}
