import type { OpenSink } from "../opening.js";
import { BlackholeSink, PrintSink } from "./print-sink.js";

/** Opens a sink that prints rows. */
export const openPrint: OpenSink<"print"> = async (_planned, _owner, world) =>
  new PrintSink((text) => world.out(text));

/** Opens a sink that writes nothing. */
export const openBlackhole: OpenSink<"blackhole"> = async () => new BlackholeSink();
