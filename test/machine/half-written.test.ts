import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeProject } from "../../src/compiler/write/write-project.js";
import { readBuildFolder } from "../../src/machine/files/build-folder.js";
import { createNodeHost } from "../../src/machine/files/host.js";
import { sampleBuild } from "../subgraph/sample-build.js";
import { plant, testFolder } from "../support/folder.js";

const journal = { staging: "staging-01234567", folders: [], puts: [], removals: [], standing: [] };
const pending = { ".graphloom/journal.json": JSON.stringify(journal) };
const { files: built } = sampleBuild();
const buildAt = (folder: string) =>
  new Map<string, string | Uint8Array>([...built].map(([path, bytes]) => [`${folder}${path}`, bytes]));
const host = createNodeHost({ cwd: "/" });

/** A project as graphloom writes it, with a build for one chain. */
async function project(): Promise<string> {
  const target = testFolder();
  await writeProject(target, buildAt("build/mainnet/").set("subgraph.yaml", "m"), {
    force: true,
  });
  return target;
}

describe("a project that a run has left half written", () => {
  it.each([
    "",
    "build",
    "build/mainnet",
    "build/mainnet/subgraph.yaml",
  ])("is not read as %j", async (path) => {
    const target = await project();
    expect(await readBuildFolder(join(target, path), host)).toHaveLength(1);
    plant(target, pending);
    await expect(readBuildFolder(join(target, path), host)).rejects.toThrow(
      `"${target}" is half written: a run that replaces its files was interrupted or is still running. ` +
        "To complete it, run that again: graphloom compile <config> --out <folder> --force.",
    );
  });

  it("is not read through a link", async () => {
    const target = await project();
    plant(target, pending);
    const link = join(testFolder(), "link");
    symlinkSync(join(target, "build/mainnet"), link);
    await expect(readBuildFolder(link, host)).rejects.toThrow("is half written");
  });

  it("is reported as such even without its manifests", async () => {
    const target = testFolder(pending);
    await expect(readBuildFolder(target, host)).rejects.toThrow("is half written");
  });

  it("is reported when it is one of several side by side", async () => {
    const folder = testFolder(buildAt("mainnet/"));
    expect(await readBuildFolder(folder, host)).toHaveLength(1);
    plant(join(folder, "mainnet"), pending);
    await expect(readBuildFolder(folder, host)).rejects.toThrow("is half written");
  });
});

it("the reader rejects a project that is written while it is read", async () => {
  const target = await project();
  const slow = {
    ...host,
    async readFile(path: string, limit: number) {
      if (path.endsWith(".wasm")) await writeProject(target, new Map([["a", "1"]]), { force: true });
      return host.readFile(path, limit);
    },
  };
  await expect(readBuildFolder(target, slow)).rejects.toThrow(
    `"${target}" was changed while it was being read. Try again.`,
  );
});

it("the reader rejects a build that is written while it is read, although its record is elsewhere", async () => {
  const target = testFolder();
  const record = { get: async () => undefined, put: async () => {} };
  await writeProject(target, buildAt(""), { force: true, record });
  const slow = {
    ...host,
    async readFile(path: string, limit: number) {
      const changed = new Map(buildAt("")).set("added", "1");
      if (path.endsWith(".wasm")) await writeProject(target, changed, { force: true, record });
      return host.readFile(path, limit);
    },
  };
  await expect(readBuildFolder(target, slow)).rejects.toThrow("was changed while it was being read");
});

it("a circular link contains no build", async () => {
  const folder = testFolder();
  symlinkSync("loop", join(folder, "loop"));
  await expect(readBuildFolder(join(folder, "loop"), host)).rejects.toThrow(
    "contains no build of a subgraph",
  );
});

it("the reader ignores an invalid journal", async () => {
  const target = await project();
  writeFileSync(join(target, ".graphloom/journal.json"), "[]");
  expect(await readBuildFolder(target, host)).toHaveLength(1);
});
