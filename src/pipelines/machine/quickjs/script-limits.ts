/** What a script may use. */
export interface ScriptLimits {
  /** Megabytes of memory. */
  readonly memory: number;
  /** Milliseconds for each row, and for starting. */
  readonly rowTime: number;
  /** Milliseconds for all rows of a call. */
  readonly batchTime: number;
}

/** How long a row or a batch may take, in a message. */
export function takesLonger(milliseconds: number): string {
  return `it takes longer than ${milliseconds / 1_000} s`;
}
