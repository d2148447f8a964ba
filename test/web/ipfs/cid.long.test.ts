import { describe, expect, test } from "vitest";
import { cidV0, hasCid, isCidV0, isVerifiable } from "../../../src/web/ipfs/cid.js";
import { type ImportOptions, importedCid } from "../../support/network/ipfs-importer.js";
import { noise } from "./noise.js";

const chunk = 262_144;
const all = noise(60_000_000);

describe("the hash of a large file", () => {
  test.each([
    173 * chunk,
    174 * chunk,
    174 * chunk + 1,
    175 * chunk,
    60_000_000,
  ])("of %d bytes is what IPFS's importer says", async (length) => {
    const bytes = all.subarray(0, length);
    const cid = cidV0(bytes);
    expect(cid).toBe(await importedCid(bytes));
    expect(isCidV0(cid)).toBe(true);
  });
});

describe("whether a large file has a hash", () => {
  const ways: readonly (readonly [string, Partial<ImportOptions>])[] = [
    ["Qm…", {}],
    ["Qm… over leaves without a frame", { rawLeaves: true }],
    ["version 1", { cidVersion: 1 }],
    ["version 1 over leaves without a frame", { cidVersion: 1, rawLeaves: true }],
    ["version 1 with chunks of 1 MiB", { cidVersion: 1, rawLeaves: true, chunkSize: 1_048_576, links: 1024 }],
  ];
  for (const [name, options] of ways) {
    // It has inner nodes of two levels.
    test.each([174 * chunk + 1])(`is seen for ${name}, %d bytes`, async (length) => {
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
