import { describe, expect, it } from "vitest";
import { zipBundle } from "../../../src/deploy/management/zip-bundle.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";

describe("a bundle for the API", () => {
  it("zips the build", () => {
    const build = sampleBuild();
    expect(zipBundle(build)).toEqual(zipBuild(build));
  });

  it("refuses a build that is too large, and names its largest files", () => {
    const build = sampleBuild();
    const files = new Map([...build.files, ["Factory/Factory.wasm", new Uint8Array(99_999_000)]]);
    const all = [...files.values()].reduce((total, { length }) => total + length, 0);
    const largest = '"Factory/Factory.wasm" (99,999,000), "subgraph.yaml" (1,';
    const zip = (): unknown => zipBundle({ ...build, files });
    expect(zip).toThrow(BundleError);
    expect(zip).toThrow(
      `The build has ${all.toLocaleString("en")} bytes unpacked, but only 100,000,000 are allowed; its largest files are ${largest}`,
    );
  });
});
