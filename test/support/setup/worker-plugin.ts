import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type { Plugin } from "vitest/config";

/** The entry of a thread. */
interface Thread {
  /** The name of the entry, which is beside the file that starts the thread. */
  readonly name: string;
  /** Modules that are not bundled. */
  readonly external: RegExp;
}

const packages = /^[^./]/;

/** The threads by the files that start them. */
const threads: ReadonlyMap<string, Thread> = new Map([
  ["src/machine/compiler/asc.ts", { name: "asc-worker", external: packages }],
  ["src/pipelines/machine/quickjs/script-thread.ts", { name: "script-worker", external: packages }],
  ["src/store/database/pglite/pglite-thread.ts", { name: "pglite-worker", external: packages }],
  // Started for every deployment. Bundled with its packages, as in the shipped build, it starts several times as fast.
  ["src/hosting/embedded/deployment-thread.ts", { name: "deployment-worker", external: /^pg(?:-|$)/ }],
  ["src/hosting/datasets/dataset-thread.ts", { name: "dataset-worker", external: /^pg(?:-|$)/ }],
  [
    "src/pipelines/host/start-pipeline.ts",
    {
      name: "pipeline-worker",
      // Packages that users install themselves stay outside, as in the shipped build.
      external:
        /^(?:pg(?:-|$)|mysql2|quickjs-emscripten|@clickhouse\/client|@duckdb\/node-api|@platformatic\/kafka)/,
    },
  ],
]);

const ofThreads: unique symbol = Symbol.for("graphloom: bundles of threads");
/** The bundles of this process by their names. Each project loads this file, and shares them. */
const shared: typeof globalThis & { [ofThreads]?: Map<string, Promise<string>> } = globalThis;

/**
 * Lets the sources start their threads from sources as well. A worker runs JavaScript, so its entry is bundled when a
 * test first reaches it.
 * @param root the project's folder, absolute
 */
export function workersFromSources(root: string): Plugin {
  shared[ofThreads] ??= new Map();
  const bundles = shared[ofThreads];
  return {
    name: "workers-from-sources",
    enforce: "pre",
    // A file that starts threads must not be cached: it would start an entry bundled for an earlier run.
    configureVitest({ experimental_defineCacheKeyGenerator }) {
      experimental_defineCacheKeyGenerator(({ id }) => (threads.has(relative(root, id)) ? false : undefined));
    },
    async transform(code, id) {
      return startFromSources(root, bundles, code, id);
    },
  };
}

/** Lets a file that starts a thread start it from its sources. @returns `undefined` for other files */
async function startFromSources(
  root: string,
  bundles: Map<string, Promise<string>>,
  code: string,
  id: string,
): Promise<{ readonly code: string; readonly map: null } | undefined> {
  const starter = relative(root, id);
  const thread = threads.get(starter);
  if (thread === undefined) return undefined;
  const { name, external } = thread;
  const bundle = bundles.get(name) ?? bundleWorker(root, bundles, join(dirname(starter), name), external);
  bundles.set(name, bundle);
  const script = JSON.stringify(pathToFileURL(await bundle).href);
  const replaced = code.replace(`new URL("./${name}.js"`, `new URL(${script}`);
  if (replaced === code) throw new Error(`${starter} does not start ./${name}.js any more`);
  return { code: replaced, map: null };
}

/** Bundles the sources of a thread, and of the threads that it starts itself. */
async function bundleWorker(
  root: string,
  bundles: Map<string, Promise<string>>,
  source: string,
  external: RegExp,
): Promise<string> {
  // Below node_modules, from where the packages are found.
  const folder = join(root, "node_modules/.graphloom-tests");
  const name = `${basename(source)}.mjs`;
  mkdirSync(folder, { recursive: true });
  // A draft of its own, because other runs bundle the same.
  const draft = mkdtempSync(join(folder, `draft-${basename(source)}-`));
  const bundled = await rolldown({
    input: join(root, `${source}.ts`),
    platform: "node",
    external,
    logLevel: "warn",
    plugins: [
      {
        name: "threads-of-threads",
        transform: async (code, id) => (await startFromSources(root, bundles, code, id))?.code,
      },
    ],
  });
  const { output } = await bundled.write({
    dir: draft,
    format: "esm",
    entryFileNames: name,
    chunkFileNames: `${basename(source)}-[name]-[hash].mjs`,
  });
  // Others may load the entry as soon as it is there, so its imports are in place before it.
  for (const { fileName } of output.toReversed()) renameSync(join(draft, fileName), join(folder, fileName));
  rmSync(draft, { recursive: true });
  return join(folder, name);
}
