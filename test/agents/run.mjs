// Prepares and checks a task for a coding agent: npm run agents -- --list. Needs a build (npm run build).

import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../..", import.meta.url));
// Below node_modules, from where the packages are found.
const bundle = join(root, `node_modules/.graphloom-tests/agents-${process.pid}.mjs`);
const built = await rolldown({
  input: join(root, "test/agents/runner/main.ts"),
  platform: "node",
  external: /^[^./]/,
  logLevel: "warn",
});
await built.write({ file: bundle, format: "esm" });
try {
  const { runAgents } = await import(pathToFileURL(bundle).href);
  process.exitCode = await runAgents(root, process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
