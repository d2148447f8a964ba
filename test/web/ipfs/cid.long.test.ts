import { describe, expect, test } from "vitest";
import { cidV0, hasCid, isCidV0, isVerifiable } from "../../../src/web/ipfs/cid.js";
import { type ImportOptions, importedCid } from "../../support/network/ipfs-importer.js";
import { noise } from "./noise.js";

const chunk = 262_144;
const all = noise(60_000_000);

describe("the CID of a large file", () => {
  test.each([
    173 * chunk,
    174 * chunk,
    174 * chunk + 1,
    175 * chunk,
    60_000_000,
  ])("of %d bytes is the same as from IPFS's importer", async (length) => {
    const bytes = all.subarray(0, length);
    const cid = cidV0(bytes);
    expect(cid).toBe(await importedCid(bytes));
    expect(isCidV0(cid)).toBe(true);
  });
});

describe("the check of a large file against a CID", () => {
  const ways: readonly (readonly [string, Partial<ImportOptions>])[] = [
    ["Qm…", {}],
    ["Qm… with raw leaves", { rawLeaves: true }],
    ["version 1", { cidVersion: 1 }],
    ["version 1 with raw leaves", { cidVersion: 1, rawLeaves: true }],
    ["version 1 with chunks of 1 MiB", { cidVersion: 1, rawLeaves: true, chunkSize: 1_048_576, links: 1024 }],
  ];
  for (const [name, options] of ways) {
    // A file of this size has two levels of inner nodes.
    test.each([174 * chunk + 1])(`accepts only the right %d bytes for ${name}`, async (length) => {
      const bytes = all.subarray(0, length);
      const cid = await importedCid(bytes, options);
      expect(isVerifiable(cid)).toBe(true);
      expect(hasCid(bytes, cid)).toBe(true);
      const other = bytes.slice();
      other[length - 1] = (other[length - 1] as number) ^ 1;
      expect(hasCid(other, cid)).toBe(false);
      expect(hasCid(bytes.subarray(1), cid)).toBe(false);
    });
  }
});
