/** What `explain` prints about a code. */
export interface CatalogEntry {
  /** The fact in a few words, without names. */
  readonly title: string;
  /** What it means, why it matters, and what to do. */
  readonly explanation: string;
  /** A wrong fragment of a configuration, and its correction. */
  readonly example: { readonly wrong: string; readonly right: string };
}
