import type { OpenSink } from "../opening.js";
import type { Sink } from "../sink.js";
import type { BlackholeShape } from "./shape.js";

/** Opens a sink that writes nothing. */
export const openBlackhole: OpenSink<BlackholeShape> = async () => new BlackholeSink();

/** Takes everything and writes nothing. */
export class BlackholeSink implements Sink {
  readonly positions = new Map();
  readonly storedWriting = { limits: { rows: 250_000, blocks: 1_000_000 }, write: async () => true };

  async write(): Promise<void> {}

  async close(): Promise<void> {}
}
