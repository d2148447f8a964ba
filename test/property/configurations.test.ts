import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Asc, startAsc } from "../../src/build/asc.js";
import { type BuildOptions, type Compilation, check, compile } from "../../src/pipeline.js";
import { memoryHost } from "../support/memory-host.js";
import { abiFiles, anyConfiguration, anyText } from "./configurations.js";
import { expectSound } from "./properties.js";

/** Set GRAPHLOOM_PROPERTY_RUNS to look further; GRAPHLOOM_PROPERTY_SEED repeats a run. */
const runs = Number(process.env.GRAPHLOOM_PROPERTY_RUNS ?? 100);
const seed = process.env.GRAPHLOOM_PROPERTY_SEED;
const timeout = Math.max(60_000, runs * 1000);
const parameters = (numRuns: number) => ({ numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) });

let asc: Asc;
beforeAll(() => {
  asc = startAsc();
});
afterAll(() => asc.close());

const contents = ({ files }: Compilation) => [...files].map(([path, content]) => [path, String(content)]);
const findings = ({ diagnostics }: Compilation) =>
  diagnostics.map(({ severity, code, message, at }) => [severity, code, message, at?.start, at?.end]);

function run(command: typeof compile, path: string, text: string, options: BuildOptions = {}) {
  return command(path, memoryHost({ [path]: text, ...abiFiles }), options);
}

describe("any configuration", () => {
  it(
    "is compiled soundly, twice to the same bytes",
    async () => {
      const property = fc.asyncProperty(anyConfiguration, async (json) => {
        const text = JSON.stringify(json, null, 1);
        const first = await run(compile, "c.json", text);
        expectSound(first);
        const second = await run(compile, "c.json", text);
        expect(contents(second)).toEqual(contents(first));
        expect(findings(second)).toEqual(findings(first));
      });
      await fc.assert(property, parameters(runs));
    },
    timeout,
  );

  it(
    "in any format, with any slip of the pen, is compiled soundly",
    async () => {
      const property = fc.asyncProperty(anyText, async ({ path, text }) => {
        expectSound(await run(compile, path, text));
      });
      await fc.assert(property, parameters(runs));
    },
    timeout,
  );

  it(
    "is checked without a crash that is no finding",
    async () => {
      const property = fc.asyncProperty(anyConfiguration, async (json) => {
        const outcome = await run(check, "c.json", JSON.stringify(json, null, 1), { asc });
        expectSound(outcome);
        expect(outcome.diagnostics.map(({ code }) => code)).not.toContain("compiler-hung");
      });
      await fc.assert(property, parameters(Math.ceil(runs / 5)));
    },
    timeout,
  );
});
