import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real compilers run in these tests, on machines that are busy with other things.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each worker would load a compiler of its own; two cores carry two.
    maxWorkers: 2,
  },
});
