import type { Changes } from "../changes/net-changes.js";
import type { SourcePosition } from "../sources/source.js";

/** How far each source has been written into a sink. */
export type Positions = ReadonlyMap<string, SourcePosition>;

/** Changes with the place in the sources that they lead to. */
export interface SinkBatch {
  /** The source that they come from. */
  readonly source: string;
  /** Blocks of the source. */
  readonly from: number;
  readonly to: number;
  readonly changes: Changes;
  /** Where the source continues once they are written. */
  readonly position: SourcePosition;
}

/** A sink that is open. */
export interface Sink {
  /** Where each source continues; a source that is missing has not been read. */
  readonly positions: Positions;
  /**
   * Writes changes and where to continue. How the two go together is the sink's class.
   * @throws SinkError
   */
  write(batch: SinkBatch): Promise<void>;
  /** Called when a source has ended, with the block after its last one. A sink that gathers rows writes them. */
  end?(source: string, next: number): Promise<void>;
  close(): Promise<void>;
}

/** A sink that cannot be written. */
export class SinkError extends Error {
  override readonly name = "SinkError";
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTemporary = isTemporary;
  }
}
