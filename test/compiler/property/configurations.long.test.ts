import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { type BuildOptions, check, compile } from "../../../src/machine/compiler/compile.js";
import { graphloom } from "../../cli/harness.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { propertyRun, propertySeed } from "../../support/property/property-run.js";
import { anyConfiguration, anyText } from "./configurations.js";
import { abiFiles } from "./known-abis.js";
import { expectSound } from "./properties.js";
import { openSandbox, type Sandbox } from "./sandbox.js";
import { startWatchdog, type Watchdog } from "./watchdog.js";

/** The default number of configurations, and of texts. `npm run campaign:properties` tries twenty times as many. */
const byDefault = 20;
const runs = propertyRun(byDefault).numRuns;
const timeout = Math.max(120_000, runs * 2000);

const tally = new Map<string, number>();
const count = (what: string): unknown => tally.set(what, (tally.get(what) ?? 0) + 1);

let watchdog: Watchdog;
beforeAll(() => {
  watchdog = startWatchdog(120_000);
});
afterAll(async () => {
  await watchdog.close();
  const counts = [...tally].map(([what, number]) => `${number} ${what}`).join(", ");
  if (process.env.GRAPHLOOM_PROPERTY_RUNS !== undefined) console.log(`seed ${propertySeed}: ${counts}`);
});

const contents = ({ files }: Compilation) => [...files].map(([path, content]) => [path, String(content)]);
const findings = ({ diagnostics }: Compilation) =>
  diagnostics.map(({ severity, code, message, at }) => [severity, code, message, at?.start, at?.end]);

function run(command: typeof compile, path: string, text: string, options: BuildOptions = {}) {
  watchdog.watch(`seed ${propertySeed}, ${path}: ${text}`);
  return command(path, memoryHost({ [path]: text, ...abiFiles }), options);
}

/** A property of all configurations or texts, or of a share of them. */
async function assert<T>(arbitrary: fc.Arbitrary<T>, share: number, property: (one: T) => Promise<void>) {
  await fc.assert(fc.asyncProperty(arbitrary, property), propertyRun(byDefault / share));
}

/** All compiled files are written to the target, and nowhere else. */
async function expectWritten({ files }: Compilation, { cwd, target, ...sandbox }: Sandbox): Promise<void> {
  const before = sandbox.contents("all");
  const written = await writeProject(join(cwd, target), files, { force: false });
  expect(written.kind).toBe("written");
  const wantedTarget = Object.fromEntries(
    [...files].map(([path, content]) => [`a/b/c/${target}/${path}`, String(content)]),
  );
  const after = sandbox.contents("all");
  const record = `a/b/c/${target}/.graphloom/files.json`;
  expect(after).toEqual({ ...before, ...wantedTarget, [record]: after[record] });
  sandbox.reset();
}

describe("any configuration", { timeout }, () => {
  it("compiles soundly, twice to the same bytes, and writes only to its target", async () => {
    const sandbox = openSandbox();
    await assert(anyConfiguration, 1, async (json) => {
      const text = JSON.stringify(json, null, 1);
      const first = await run(compile, "c.json", text);
      expectSound(first);
      const second = await run(compile, "c.json", text);
      expect(contents(second)).toEqual(contents(first));
      expect(findings(second)).toEqual(findings(first));
      count("configurations");
      if (!first.ok) return;
      count("compiled");
      await expectWritten(first, sandbox);
    });
    sandbox.close();
  });

  it("compiles soundly in any format, with any typo", async () => {
    await assert(anyText, 1, async ({ path, text }) => {
      const outcome = await run(compile, path, text);
      expectSound(outcome);
      count("texts");
      if (outcome.ok) count("texts compiled");
    });
  });

  it("is checked without an unreported crash", async () => {
    await assert(anyConfiguration, 5, async (json) => {
      const outcome = await run(check, "c.json", JSON.stringify(json, null, 1), { asc });
      expectSound(outcome);
      expect(outcome.diagnostics.map(({ code }) => code)).not.toContain("compiler-hung");
      count("checked");
      if (outcome.ok) count("passed");
    });
  });

  it("leaves the target unchanged when the command fails", async () => {
    const sandbox = openSandbox(abiFiles);
    await assert(anyConfiguration, 50, async (json) => {
      const text = JSON.stringify(json, null, 1);
      writeFileSync(join(sandbox.cwd, "c.json"), text);
      watchdog.watch(`seed ${propertySeed}, on the command line: ${text}`);
      const before = { all: sandbox.contents("all"), outside: sandbox.contents("outside") };
      const { code, err } = await graphloom(sandbox.cwd, `compile c.json --out ${sandbox.target}`);
      expect([0, 1], err).toContain(code);
      if (code === 0) expect(sandbox.contents("outside")).toEqual(before.outside);
      else expect(sandbox.contents("all")).toEqual(before.all);
      count(code === 0 ? "written on the command line" : "refused on the command line");
      sandbox.reset();
    });
    sandbox.close();
  });
});
