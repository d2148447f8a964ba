/** Room on the disk for what does not fit into memory. It is gone once it is closed. */
export interface Scratch {
  /** Adds a line to one of its parts. @param line without line breaks */
  append(part: number, line: string): Promise<void>;
  /** The lines of a part, in order. */
  lines(part: number): AsyncIterable<string>;
  close(): Promise<void>;
}
