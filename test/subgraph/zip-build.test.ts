import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { unzipSync } from "fflate";
import { afterEach, describe, expect, it, test } from "vitest";
import type { Build } from "../../src/subgraph/build.js";
import { zipBuild } from "../../src/subgraph/zip-build.js";
import { testFolder } from "../support/folder.js";
import { sampleBuild } from "./sample-build.js";

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** The modification time in a local or central header. */
const dateOf = (zip: Uint8Array): Uint8Array => zip.subarray(10, 14);

describe("a zip of a build", () => {
  it("unpacks to the build", () => {
    const build = sampleBuild();
    expect(unzipSync(zipBuild(build))).toEqual(Object.fromEntries(build.files));
  });

  it("is the same for any order of files", () => {
    const build = sampleBuild();
    const reversed: Build = { ...build, files: new Map([...build.files].reverse()) };
    expect([...reversed.files.keys()]).not.toEqual([...build.files.keys()]);
    expect(zipBuild(reversed)).toEqual(zipBuild(build));
    expect(Object.keys(unzipSync(zipBuild(reversed)))).toEqual([...build.files.keys()].sort());
  });

  test.each([
    "UTC",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Pacific/Kiritimati",
    "Africa/Monrovia",
  ])("is the same in the time zone %s", (name) => {
    const here = zipBuild(sampleBuild());
    process.env.TZ = name;
    expect(zipBuild(sampleBuild())).toEqual(here);
    // 12:00 on the first of January 1980, as a zip writes it.
    expect([...dateOf(here)]).toEqual([0x00, 0x60, 0x21, 0x00]);
  });

  it("unpacks with the tools of the system", () => {
    const folder = testFolder();
    const build = sampleBuild();
    writeFileSync(join(folder, "a.zip"), zipBuild(build));
    execFileSync("python3", ["-m", "zipfile", "-e", "a.zip", "out"], { cwd: folder });
    const out = join(folder, "out");
    const unpacked = readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(unpacked.map((path) => relative(out, path)).sort()).toEqual([...build.files.keys()].sort());
    for (const path of unpacked) {
      expect(readFileSync(path).equals(build.files.get(relative(out, path)) as Uint8Array)).toBe(true);
      expect(statSync(path).mode & 0o400).toBe(0o400);
    }
  });

  it("may be as large as the limit, and not a byte larger", () => {
    const build = sampleBuild();
    const { length } = zipBuild(build);
    const extracted = [...build.files.values()].reduce((total, file) => total + file.length, 0);
    expect(zipBuild(build, { compressed: length, extracted })).toHaveLength(length);
    expect(() => zipBuild(build, { compressed: length - 1, extracted })).toThrow(
      `bytes as a zip, but only ${(length - 1).toLocaleString("en")} are allowed`,
    );
    expect(() => zipBuild(build, { compressed: length, extracted: extracted - 1 })).toThrow("bytes unpacked");
  });
});
