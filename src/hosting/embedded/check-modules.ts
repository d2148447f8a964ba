import { checkMapping } from "../../runtime/wasm/compile-mapping.js";
import { BundleError } from "../../subgraph/bundle-error.js";

/**
 * Checks that the modules of a build can be run. Whether they have the handlers that the manifest names is not asked:
 * one that is missing fails when its event comes.
 * @param modules by path
 * @throws BundleError for one that is no module of a mapping
 */
export async function checkModules(modules: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [path, wasm] of modules) {
    try {
      await checkMapping(wasm);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new BundleError(`${path} cannot be run: ${why}`);
    }
  }
}
