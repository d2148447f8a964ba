import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { exampleNames } from "../../support/examples.js";

/** Digests of what the examples build to, from a process of its own. */
const child = `
  import { createHash } from "node:crypto";
  import { build, createNodeHost, startAsc } from "./dist/exports/index.js";
  const all = {};
  const asc = startAsc();
  for (const example of process.argv.slice(1)) {
    const host = createNodeHost({ cwd: process.cwd() });
    const { files } = await build("examples/" + example + "/subgraph.json", host, { asc });
    for (const [path, content] of files) all[example + "/" + path] = createHash("sha256").update(content).digest("hex");
  }
  await asc.close();
  console.log(JSON.stringify([all, Intl.DateTimeFormat().resolvedOptions().locale, new Date(0).getHours()]));
`;

it("is the same in another country", { timeout: 180_000 }, async () => {
  const run = async (env: Record<string, string>) => {
    const args = ["--input-type=module", "-e", child, ...exampleNames];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    return JSON.parse(stdout);
  };
  const [here, there] = await Promise.all([
    run({ LC_ALL: "C", TZ: "UTC" }),
    run({ LC_ALL: "tr_TR.UTF-8", TZ: "Asia/Tokyo" }),
  ]);
  expect(there[0]).toEqual(here[0]);
  expect(Object.keys(here[0]).filter((path) => path.endsWith(".wasm")).length).toBeGreaterThanOrEqual(
    exampleNames.length,
  );
  // The other country is really another one.
  expect([there[1], there[2]]).toEqual(["tr-TR", 9]);
});
