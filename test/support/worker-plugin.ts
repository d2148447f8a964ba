import { mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type { Plugin } from "vitest/config";

/** The threads: the file that starts one, and the name of what lies beside it and is started. */
const threads: ReadonlyMap<string, string> = new Map([
  ["src/node/asc.ts", "asc-worker"],
  ["src/platform/database/pglite/pglite-thread.ts", "pglite-worker"],
  ["src/platform/hosting/embedded/deployment-thread.ts", "deployment-worker"],
]);

/**
 * Has the sources start their threads from the sources, too: a worker runs JavaScript, so that what it is started from
 * is bundled when a test first reaches it.
 * @param root the project's folder, absolute
 */
export function workersFromSources(root: string): Plugin {
  const bundles = new Map<string, Promise<string>>();
  return {
    name: "workers-from-sources",
    enforce: "pre",
    // A starter found in the cache of what was transformed would start what was bundled for an earlier run.
    configureVitest({ experimental_defineCacheKeyGenerator }) {
      experimental_defineCacheKeyGenerator(({ id }) => (threads.has(relative(root, id)) ? false : undefined));
    },
    async transform(code, id) {
      const starter = relative(root, id);
      const name = threads.get(starter);
      if (name === undefined) return undefined;
      const bundle = bundles.get(name) ?? bundleWorker(root, join(dirname(starter), name));
      bundles.set(name, bundle);
      const script = JSON.stringify(pathToFileURL(await bundle).href);
      const replaced = code.replace(`new URL("./${name}.js"`, `new URL(${script}`);
      if (replaced === code) throw new Error(`${starter} does not start ./${name}.js any more`);
      return { code: replaced, map: null };
    },
  };
}

/** Bundles what a thread runs of the sources; packages stay where they are. */
async function bundleWorker(root: string, source: string): Promise<string> {
  // Below node_modules, from where the packages are found.
  const folder = join(root, "node_modules/.graphloom-tests");
  const draft = join(folder, `draft-${process.pid}-${basename(source)}`);
  const name = `${basename(source)}.mjs`;
  mkdirSync(folder, { recursive: true });
  const bundled = await rolldown({
    input: join(root, `${source}.ts`),
    platform: "node",
    external: /^[^./]/,
    logLevel: "warn",
  });
  await bundled.write({
    dir: draft,
    format: "esm",
    entryFileNames: name,
    sourcemap: "inline",
    codeSplitting: false,
  });
  // Several runs may be doing this at the same time.
  renameSync(join(draft, name), join(folder, name));
  rmSync(draft, { recursive: true });
  return join(folder, name);
}
