/** The catalogue's entry of a code, which `explain` prints. */
export interface CatalogEntry {
  /** The fact in a few words, without names. */
  readonly title: string;
  /** What it means, why it matters and what to do. */
  readonly explanation: string;
  /** A wrong fragment of a configuration, and the corrected one. */
  readonly example: { readonly wrong: string; readonly right: string };
}
