import { sinkType } from "../sink-type.js";
import { printShape } from "./shape.js";

export const print = sinkType({
  name: "print",
  shape: printShape,
  place: "nothing",
  load: async () => ({
    open: (await import("./open-print.js")).openPrint,
  }),
});
