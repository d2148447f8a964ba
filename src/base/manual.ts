/** A page of the documentation. */
export interface ManualPage {
  /** Its name, such as `getting-started`. */
  readonly name: string;
  /** Its first heading. */
  readonly title: string;
  readonly markdown: string;
}
