import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { build } from "../../../src/machine/compiler/compile.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { testFolder } from "../../support/folder.js";
import { judge, judgedBuild } from "../../support/judge/judge.js";
import { propertySeed } from "../../support/property/property-run.js";
import type { Json } from "./arbitraries.js";
import { anyConfiguration, richConfiguration } from "./configurations.js";
import { abiFiles } from "./known-abis.js";

/*
 * Every configuration that graphloom accepts, graph-cli accepts and builds to the same files. A judgement takes
 * many seconds, so the suite judges one rich configuration. `npm run campaign:properties` judges a hundred of both kinds;
 * GRAPHLOOM_PROPERTY_JUDGED sets the number, GRAPHLOOM_PROPERTY_SEED selects different ones.
 */

const judged = Number(process.env.GRAPHLOOM_PROPERTY_JUDGED ?? 1);

function wasmOf(files: Compilation["files"]): Uint8Array[] {
  const modules = [...files].filter(([path]) => path.endsWith(".wasm"));
  return modules.flatMap(([, content]) => (typeof content === "string" ? [] : [content]));
}

interface Candidate {
  readonly json: Json;
  readonly built: Compilation;
}

/** Half are rich configurations, which must build. Half are the first random configuration that builds. */
async function candidate(index: number): Promise<Candidate> {
  const isRich = index % 2 === 0;
  const drawn = isRich
    ? fc.sample(richConfiguration, { numRuns: 1, seed: propertySeed + index })
    : fc.sample(anyConfiguration, { numRuns: 50, seed: propertySeed + index });
  for (const json of drawn) {
    const host = memoryHost({ "c.json": JSON.stringify(json), ...abiFiles });
    const built = await build("c.json", host, { asc, optimize: judgedBuild });
    if (isRich) expect(built.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    if (built.ok) return { json, built };
  }
  throw new Error("none of 50 configurations builds");
}

describe(`graph-cli accepts and reproduces what builds (seed ${propertySeed})`, () => {
  it.each(Array.from({ length: judged }, (_, index) => index))("configuration %i", async (index) => {
    const { json, built } = await candidate(index);
    const verdict = await judge(testFolder(built.files), { build: judgedBuild });
    expect(verdict.ok, `${JSON.stringify(json)}\n${verdict.output}`).toBe(true);
    const theirs = wasmOf(verdict.build);
    expect(theirs.length).toBeGreaterThan(0);
    for (const [path, text] of verdict.generated) expect(built.files.get(path), path).toBe(text);
    const ours = wasmOf(built.files);
    for (const own of theirs) expect(ours.some((bytes) => Buffer.compare(bytes, own) === 0)).toBe(true);
  });
});
