import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { build, compile, createNodeHost } from "../../../src/exports/index.js";
import { asc } from "../../support/compiler/asc.js";
import { exampleNames } from "../../support/compiler/examples.js";

/** What the compiler makes of the mappings, which takes long, is compared for these alone; all other files for all. */
const built = ["uniswap-v3"];

/** Digests of the examples' files, from a separate process. */
const child = `
  import { createHash } from "node:crypto";
  import { build, compile, createNodeHost, startAsc } from "./dist/exports/index.js";
  const all = {};
  const asc = startAsc();
  const [built, ...examples] = process.argv.slice(1);
  for (const example of examples) {
    const host = createNodeHost({ cwd: process.cwd() });
    const path = "examples/" + example + "/subgraph.json";
    const { files } = await (built.split(",").includes(example) ? build(path, host, { asc }) : compile(path, host));
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
    const path = `examples/${example}/subgraph.json`;
    const { files } = await (built.includes(example) ? build(path, host, { asc }) : compile(path, host));
    for (const [path, content] of files)
      all[`${example}/${path}`] = createHash("sha256").update(content).digest("hex");
  }
  return all;
}

it("the compiler builds the same under a different locale and time zone", async () => {
  const args = ["--input-type=module", "-e", child, built.join(), ...exampleNames];
  const env = { ...process.env, LC_ALL: "tr_TR.UTF-8", TZ: "Asia/Tokyo" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const [there, locale, hours] = JSON.parse(stdout);
  const all = await here();
  expect(there).toEqual(all);
  for (const example of built)
    expect(Object.keys(all)).toContainEqual(expect.stringMatching(`^${example}/.*\\.wasm$`));
  // The locale and the time zone really differ.
  expect([locale, hours]).toEqual(["tr-TR", 9]);
  const { locale: ours } = Intl.DateTimeFormat().resolvedOptions();
  expect([ours, new Date(0).getHours()]).not.toEqual([locale, hours]);
});
