import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { flagsOfV8 } from "./test/support/setup/flags-of-v8.js";
import { memoryFolder } from "./test/support/setup/memory-folder.js";
import { slowestFiles } from "./test/support/setup/slowest-files.js";
import { workersFromSources } from "./test/support/setup/worker-plugin.js";

// Workers, and what tests start, have it from here.
const inMemory = memoryFolder();
if (inMemory !== undefined) process.env.TMPDIR ??= inMemory;

/**
 * What a test needs is in its name: `a.chain.test.ts` a chain; `a.test.ts` nothing but the sources.
 * `npx vitest run .chain.test` runs those of one kind.
 */
const kinds = [
  /** Servers on this machine, played by the tests. */
  "server",
  /** The AssemblyScript compiler and the parser of expressions at real work. */
  "compiler",
  /** PGlite, and a PostgreSQL where one is installed. */
  "database",
  /** Local chains. */
  "chain",
  /** The peer's own tools, which judge what we make. */
  "judge",
  /** The package as its users have it: `dist/`, its exports, the command as a process. */
  "shipped",
  /** Sizes, and properties of many runs. */
  "long",
].map((kind) => `test/**/*.${kind}.test.ts`);
/** What puts other modules in the place of ours: in a worker of its own, since modules are loaded once for all others. */
const alone = "test/**/*.alone.test.ts";

export default defineConfig({
  plugins: [workersFromSources(fileURLToPath(new URL(".", import.meta.url)))],
  test: {
    // Real compilers run in these tests, on machines that are busy with other things. Longer than the longest wait of
    // `until`, which says what it waited for.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    tags: [
      {
        name: "law",
        description:
          "takes a sink or a source through random schedules, as npm run campaign:flows does for hours",
        timeout: 12 * 3_600_000,
      },
    ],
    // So does what tests wait for.
    expect: { poll: { timeout: 250_000 } },
    reporters: [
      "default",
      slowestFiles(fileURLToPath(new URL("node_modules/.graphloom-tests/durations.json", import.meta.url))),
    ],
    setupFiles: "./test/support/property/seeded-properties.ts",
    // Tests wait for servers, chains and browsers a third of their time, so three workers keep two cores busy. Each one
    // loads a compiler of its own.
    maxWorkers: 3,
    // Twice the default. A larger young generation is collected less often, which saves a tenth of the CPU time of tests
    // that compile or query.
    execArgv: [
      "--max-semi-space-size=32",
      // Most code of a test runs a few times. Optimized later than usual, and not forgotten meanwhile, it takes a fifth
      // less CPU time to compile, and an eighth to index.
      ...flagsOfV8("interrupt-budget=528000", "wasm-tiering-budget=7200000", "no-flush-bytecode"),
    ],
    // Nothing here leaves anything behind, so that modules are loaded once for all files of a worker.
    isolate: false,
    // The projects share what is transformed, with each other and with the next run.
    experimental: { fsModuleCache: true },
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: [...kinds, alone] } },
      { extends: true, test: { name: "alone", include: [alone], isolate: true } },
      // One project of all the others, because a project has workers of its own: so that a worker starts a compiler, a
      // database and a judge once, whatever its files need of them.
      {
        extends: true,
        test: { name: "machine", include: kinds, globalSetup: "./test/support/database/shared-postgres.ts" },
      },
    ],
  },
});
