import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readBuildFolder } from "../../../src/machine/files/build-folder.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { testFolder } from "../../support/folder.js";

const { files } = sampleBuild();
const read = (path: string) => readBuildFolder(path, createNodeHost({ cwd: path }));

/** A build in the folder `build`, in which `put` replaces one file. */
function buildWith(name: string, put: (path: string, content: Uint8Array, outside: string) => void): string {
  const folder = testFolder();
  for (const [path, content] of files) {
    const place = join(folder, "build", path);
    mkdirSync(dirname(place), { recursive: true });
    if (path === name) put(place, content, join(folder, "outside"));
    else writeFileSync(place, content);
  }
  return folder;
}

const sizeOf = ([path, { length }]: readonly [string, Uint8Array]) => [path, length];

describe("a build in a folder", () => {
  it.each([...files.keys()])("is not read when %s is a link out of the folder", async (name) => {
    const folder = buildWith(name, (place, content, outside) => {
      writeFileSync(outside, content);
      symlinkSync(outside, place);
    });
    await expect(read(folder)).rejects.toThrow(BundleError);
    await expect(read(folder)).rejects.toThrow("a symbolic link leads out of the folder of the build");
  });

  it.each([...files.keys()])("is read when %s is a link inside the folder", async (name) => {
    const folder = buildWith(name, (place, content) => {
      writeFileSync(`${place}.real`, content);
      symlinkSync(`${place}.real`, place);
    });
    const [build] = await read(folder);
    expect([...(build?.files ?? [])].map(sizeOf)).toEqual([...files].map(sizeOf));
  });

  it("is read through a link to its folder or to the given manifest", async () => {
    const folder = buildWith("", () => {});
    symlinkSync(join(folder, "build"), join(folder, "linked"));
    expect(await read(join(folder, "linked"))).toHaveLength(1);
    expect(await read(join(folder, "linked", "subgraph.yaml"))).toHaveLength(1);
  });

  it("is incomplete when a link leads to nothing", async () => {
    const folder = buildWith("schema.graphql", (place) => symlinkSync("nowhere", place));
    await expect(read(folder)).rejects.toThrow("which does not exist");
  });
});
