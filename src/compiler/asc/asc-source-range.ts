/** A source range as the compiler reports it. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
  readonly source: { readonly normalizedPath: string };
}
