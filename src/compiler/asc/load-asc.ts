import { createRequire } from "node:module";
import { ParsedAhead } from "./asc-parse-ahead.js";
import type { AscModule, CompilerInternals, LoadedAsc } from "./asc-run.js";
import type { BinaryenModule } from "./optimize-fast.js";

/**
 * Loads the compiler and the optimizer.
 * @param loadScript called with the compiler's script before it is required, so that it can speed up loading
 */
export async function loadAsc(loadScript: (file: string) => Promise<void>): Promise<LoadedAsc> {
  // Resolved from here, to get graphloom's version, not the newer one inside graph-ts.
  const ours = createRequire(import.meta.url);
  const theirs = createRequire(ours.resolve("assemblyscript"));
  // In a single run, binaryen's WebAssembly build is a second faster than its JavaScript build.
  const binaryen = theirs("binaryen/wasm") as BinaryenModule;
  (globalThis as { binaryen?: BinaryenModule }).binaryen = binaryen;
  // The compiler's bundle also requires the JavaScript build without using it; loading its 5 MB takes 0.2 s.
  const unused = theirs.resolve("binaryen");
  theirs.cache[unused] = { id: unused, filename: unused, loaded: true, exports: binaryen } as NodeJS.Module;
  await binaryen.ready;
  await loadScript(theirs.resolve("assemblyscript/dist/assemblyscript"));
  const internals = theirs("assemblyscript") as CompilerInternals;
  const asc = theirs("assemblyscript/cli/asc") as AscModule;
  return { asc, internals, binaryen, ahead: new ParsedAhead(internals.Parser) };
}
