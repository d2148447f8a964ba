// Has graph-cli, in the process that loads this, compile in less time: to be called before its commands are loaded.
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Puts the WebAssembly build of the optimizer in the place of the JavaScript one, which makes the same of everything
 * and takes seconds to warm up.
 * @param home where graph-cli is installed
 * @returns sets what optimizes from then on: the calls of the optimizer's functions and the module's that are made
 *   instead of graph-cli's flag; with none, it is the flag
 */
export async function lightenCompiler(home) {
  const theirs = createRequire(createRequire(join(home, "package.json")).resolve("assemblyscript"));
  const binaryen = theirs("binaryen/wasm");
  await binaryen.ready;
  globalThis.binaryen = binaryen;
  theirs.cache[theirs.resolve("binaryen")] = theirs.cache[theirs.resolve("binaryen/wasm")];
  // graph-cli takes the compiler's function as it is when its commands are loaded.
  const asc = theirs("assemblyscript/cli/asc");
  const compile = asc.main;
  let recipe;
  const optimize = (module) => {
    const owners = { binaryen, module };
    for (const { owner, method, values } of recipe) owners[owner][method](...values);
  };
  asc.main = (words, options, callback) => {
    if (recipe === undefined) return compile(words, options, callback);
    const rough = words.filter((word) => word !== "--optimize");
    return compile(rough, { ...options, transforms: [{ afterCompile: optimize }] }, callback);
  };
  return (calls) => {
    recipe = calls;
  };
}
