/** What is known about one code beside the findings themselves; `explain` prints it. */
export interface CatalogEntry {
  /** The fact in a few words, without names. */
  readonly title: string;
  /** What it means, why it matters and what to do. */
  readonly explanation: string;
  /** A fragment of a configuration that is wrong in this way, and the same put right. */
  readonly example: { readonly wrong: string; readonly right: string };
}
