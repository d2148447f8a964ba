/** A page of the documentation. */
export interface ManualPage {
  /** What it is called by, as in `getting-started`. */
  readonly name: string;
  /** Its first heading. */
  readonly title: string;
  readonly markdown: string;
}
