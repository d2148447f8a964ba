import type { Asc } from "../../src/compiler/asc/asc.js";
import { startAsc } from "../../src/node/asc.js";

let started: Asc | undefined;
const own = (): Asc => {
  started ??= startAsc();
  return started;
};

/**
 * The AssemblyScript compiler for all files that one worker of the tests runs: started when it is first used, warm from
 * then on, gone with the worker. Whoever tests the start or the end of one starts one.
 */
export const asc: Asc = {
  prepare: (graphTs) => own().prepare(graphTs),
  compile: (input, options) => own().compile(input, options),
  close: () => Promise.resolve(),
};
