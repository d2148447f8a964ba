/** A block in the tables. */
export interface KnownBlock {
  readonly number: number;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}
