import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { createNodeCache } from "../../../src/machine/compiler/cache.js";
import { testFolder } from "../../support/folder.js";

const built = pathToFileURL(
  fileURLToPath(new URL("../../../dist/machine/compiler/cache.js", import.meta.url)),
).href;

/** A process that puts and gets the same keys as others, with a limit that it often exceeds. */
const worker = `
import { createNodeCache } from ${JSON.stringify(built)};
const troubles = [];
const cache = createNodeCache({ folder: process.argv[1], limit: 40 * 4096, onTrouble: (m) => troubles.push(m) });
let found = 0;
for (let round = 0; round < 150; round++) {
  const key = String(round % 30);
  const kept = await cache.get(key);
  if (kept) found += 1;
  if (kept && (kept.length !== 3000 + Number(key) || kept.some((byte) => byte !== Number(key)))) throw new Error("wrong");
  await cache.put(key, new Uint8Array(3000 + Number(key)).fill(Number(key)));
}
console.log(JSON.stringify({ found, troubles }));
`;

function work(folder: string): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", worker, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out })));
}

it("processes that use the cache at once never see partial or wrong entries", async () => {
  const folder = join(testFolder(), "graphloom");
  const ended = await Promise.all([work(folder), work(folder), work(folder)]);
  for (const { code, out } of ended) {
    expect(code).toBe(0);
    const { found, troubles } = JSON.parse(out);
    expect(troubles).toEqual([]);
    expect(found).toBeGreaterThan(50);
  }
  expect(readdirSync(folder).filter((name) => name.startsWith("draft-"))).toEqual([]);
  expect((await createNodeCache({ folder }).measure()).bytes).toBeLessThan(41 * 4096);
});
