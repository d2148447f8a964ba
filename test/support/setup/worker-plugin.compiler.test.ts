import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { workersFromSources } from "./worker-plugin.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const starter = join(root, "src/hosting/embedded/deployment-thread.ts");

interface Transformer {
  transform(code: string, id: string): Promise<{ code: string } | undefined>;
}

it("the setup lets several copies of the plugin bundle the same thread at the same time", async () => {
  const code = readFileSync(starter, "utf8");
  const copies = Array.from({ length: 12 }, () => workersFromSources(root) as unknown as Transformer);
  const transformed = await Promise.all(
    copies.map(async (plugin) => (await plugin.transform(code, starter))?.code),
  );
  expect(new Set(transformed).size).toBe(1);
  expect(transformed[0]).toContain("deployment-worker.mjs");
});
