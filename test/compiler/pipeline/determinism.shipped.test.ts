import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { build, createNodeHost } from "../../../src/exports/index.js";
import { asc } from "../../support/compiler/asc.js";
import { exampleNames } from "../../support/compiler/examples.js";

/** Digests of the examples' builds, from a separate process. */
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

/** The same from this process, whatever its locale. */
async function here(): Promise<Readonly<Record<string, string>>> {
  const all: Record<string, string> = {};
  for (const example of exampleNames) {
    const host = createNodeHost({ cwd: process.cwd() });
    const { files } = await build(`examples/${example}/subgraph.json`, host, { asc });
    for (const [path, content] of files)
      all[`${example}/${path}`] = createHash("sha256").update(content).digest("hex");
  }
  return all;
}

it("builds the same under a different locale and time zone", { timeout: 180_000 }, async () => {
  const args = ["--input-type=module", "-e", child, ...exampleNames];
  const env = { ...process.env, LC_ALL: "tr_TR.UTF-8", TZ: "Asia/Tokyo" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const [there, locale, hours] = JSON.parse(stdout);
  const all = await here();
  expect(there).toEqual(all);
  expect(Object.keys(all).filter((path) => path.endsWith(".wasm")).length).toBeGreaterThanOrEqual(
    exampleNames.length,
  );
  // The locale and the time zone really differ.
  expect([locale, hours]).toEqual(["tr-TR", 9]);
  const { locale: ours } = Intl.DateTimeFormat().resolvedOptions();
  expect([ours, new Date(0).getHours()]).not.toEqual([locale, hours]);
});
