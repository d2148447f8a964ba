import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { ascWorkerFromSources } from "./test/support/asc-worker-plugin.js";

export default defineConfig({
  plugins: [ascWorkerFromSources(fileURLToPath(new URL(".", import.meta.url)))],
  test: {
    include: ["test/**/*.test.ts"],
    // Real compilers run in these tests, on machines that are busy with other things.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each worker would load a compiler of its own; two cores carry two.
    maxWorkers: 2,
  },
});
