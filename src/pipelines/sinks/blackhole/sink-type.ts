import type { Sink } from "../sink.js";
import { sinkType } from "../sink-type.js";
import { blackholeShape } from "./shape.js";

/** Takes everything and writes nothing. */
class BlackholeSink implements Sink {
  readonly positions = new Map();
  readonly storedWriting = { limits: { rows: 250_000, blocks: 1_000_000 }, write: async () => true };

  async write(): Promise<void> {}

  async close(): Promise<void> {}
}

export const blackhole = sinkType({
  name: "blackhole",
  shape: blackholeShape,
  place: "nothing",
  load: async () => ({ open: async () => new BlackholeSink() }),
});
