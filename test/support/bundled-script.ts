import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Bundles a script in TypeScript, so that a process of its own can run it.
 * @param source relative to the project
 * @returns the path of the bundle
 */
export async function bundledScript(source: string): Promise<string> {
  // Below node_modules, from where the packages are found.
  const folder = join(root, "node_modules/.graphloom-tests", `${basename(source)}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const bundled = await rolldown({
    input: join(root, source),
    platform: "node",
    external: /^[^./]/,
    logLevel: "warn",
  });
  await bundled.write({ dir: folder, format: "esm", entryFileNames: "script.mjs" });
  return join(folder, "script.mjs");
}
