export interface ScriptLimits {
  /** Megabytes of memory. */
  readonly memory: number;
  /** Milliseconds for each row, and for starting. */
  readonly rowTime: number;
  /** Milliseconds for all rows of a call. */
  readonly batchTime: number;
}

/** Says in a message how long a row or a batch may take. */
export function takesLonger(milliseconds: number): string {
  return `it takes longer than ${milliseconds / 1_000} s`;
}
