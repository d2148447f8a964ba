import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type { Plugin } from "vitest/config";

/**
 * Has the sources start the compiler's thread from the sources, too: a worker runs JavaScript, so that what it is
 * started from is bundled when a test first reaches it.
 * @param root the project's folder, absolute
 */
export function ascWorkerFromSources(root: string): Plugin {
  let bundle: Promise<string> | undefined;
  return {
    name: "asc-worker-from-sources",
    enforce: "pre",
    async transform(code, id) {
      if (id !== join(root, "src/node/asc.ts")) return undefined;
      bundle ??= bundleWorker(root);
      const script = JSON.stringify(pathToFileURL(await bundle).href);
      const replaced = code.replace('new URL("./asc-worker.js"', `new URL(${script}`);
      if (replaced === code) throw new Error("src/node/asc.ts does not start ./asc-worker.js any more");
      return { code: replaced, map: null };
    },
  };
}

/** Bundles what the thread runs of the sources; packages stay where they are. */
async function bundleWorker(root: string): Promise<string> {
  // Below node_modules, from where the packages are found.
  const folder = join(root, "node_modules/.graphloom-tests");
  const draft = join(folder, `draft-${process.pid}`);
  const name = "asc-worker.mjs";
  mkdirSync(folder, { recursive: true });
  const bundled = await rolldown({
    input: join(root, "src/node/asc-worker.ts"),
    platform: "node",
    external: /^[^./]/,
    logLevel: "warn",
  });
  await bundled.write({ dir: draft, format: "esm", entryFileNames: name, sourcemap: "inline" });
  // Several runs may be doing this at the same time.
  renameSync(join(draft, name), join(folder, name));
  rmSync(draft, { recursive: true });
  return join(folder, name);
}
