import { messageOf } from "../../base/text/message-of.js";
import { checkMapping } from "../../runtime/wasm/compile-mapping.js";
import { BundleError } from "../../subgraph/bundle-error.js";

/**
 * Checks that the modules of a build can run. It does not check for the manifest's handlers: a missing one fails when
 * its event arrives.
 * @param modules by path
 * @throws BundleError for a module that is not a mapping
 */
export async function checkModules(modules: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [path, wasm] of modules) {
    try {
      await checkMapping(wasm);
    } catch (error) {
      const why = messageOf(error);
      throw new BundleError(`${path} cannot be run: ${why}`);
    }
  }
}
