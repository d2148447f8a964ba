import { sinkType } from "../sink-type.js";
import { blackholeShape } from "./shape.js";

export const blackhole = sinkType({
  name: "blackhole",
  shape: blackholeShape,
  place: "nothing",
  load: async () => ({
    open: (await import("./blackhole-sink.js")).openBlackhole,
  }),
});
