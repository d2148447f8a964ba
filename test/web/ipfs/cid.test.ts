import { describe, expect, it, test } from "vitest";
import { cidV0, hasCid, isCidV0, isVerifiable } from "../../../src/web/ipfs/cid.js";
import { type ImportOptions, importedCid } from "../../support/network/ipfs-importer.js";
import { noise } from "./noise.js";

const chunk = 262_144;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("the CID of a file", () => {
  test.each([
    ["", "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"],
    ["hello world", "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"],
    ["hello world\n", "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"],
    ["Hello World\n", "QmWATWQ7fVPP2EFGu71UkfnqhYXDYH566qy47CnJDgvs8u"],
  ])("of %j is the well-known one", async (text, cid) => {
    expect(cidV0(bytesOf(text))).toBe(cid);
  });

  test.each([
    0,
    1,
    127,
    128,
    chunk - 1,
    chunk,
    chunk + 1,
    2 * chunk,
  ])("of %d bytes is the same as from IPFS's importer", async (length) => {
    const bytes = noise(length);
    const cid = cidV0(bytes);
    expect(cid).toBe(await importedCid(bytes));
    expect(isCidV0(cid)).toBe(true);
  });

  it("does not depend on the position of the bytes in their buffer", () => {
    const bytes = noise(1000);
    expect(cidV0(bytes.subarray(100, 300))).toBe(cidV0(bytes.slice(100, 300)));
  });
});

describe("the check of a file against a CID", () => {
  const ways: readonly (readonly [string, Partial<ImportOptions>])[] = [
    ["Qm…", {}],
    ["Qm… with raw leaves", { rawLeaves: true }],
    ["version 1", { cidVersion: 1 }],
    ["version 1 with raw leaves", { cidVersion: 1, rawLeaves: true }],
    ["version 1 with chunks of 1 MiB", { cidVersion: 1, rawLeaves: true, chunkSize: 1_048_576, links: 1024 }],
  ];
  for (const [name, options] of ways) {
    test.each([10, 3 * chunk])(`accepts only the right %d bytes for ${name}`, async (length) => {
      const bytes = noise(length);
      const cid = await importedCid(bytes, options);
      expect(isVerifiable(cid)).toBe(true);
      expect(hasCid(bytes, cid)).toBe(true);
      const other = bytes.slice();
      other[length - 1] = (other[length - 1] as number) ^ 1;
      expect(hasCid(other, cid)).toBe(false);
      expect(hasCid(bytes.subarray(1), cid)).toBe(false);
    });
  }

  it("rejects the block that wraps the file, and a CID with the wrong kind of block", () => {
    const file = bytesOf("hi");
    const frame = Uint8Array.of(0x0a, 8, 8, 2, 0x12, 2, ...file, 0x18, 2);
    const v0 = "QmdckCoPuhEtiNzREtqpYn8dBgY8ifcG82Q4eyEdGCLEiu";
    const framed = "bafybeihc73huxdpsqleijcxj64fnn2lqng2dl5nvsb6d777bjjv7lpxq3i";
    const raw = "bafkreiepinbumzepnoln7co5vea4kf3lcctnqolb3u6bvsellgznymt2uq";
    expect([v0, framed, raw].map((cid) => hasCid(file, cid))).toEqual([true, true, true]);
    expect([v0, framed, raw].map((cid) => hasCid(frame, cid))).toEqual([false, false, false]);
    const framedAsRaw = framed.replace("bafybei", "bafkrei");
    const rawAsFramed = raw.replace("bafkrei", "bafybei");
    expect([framedAsRaw, rawAsFramed].map((cid) => hasCid(file, cid))).toEqual([false, false]);
    expect(hasCid(frame, framedAsRaw)).toBe(true);
  });

  test.each([
    "",
    "Qm",
    "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQ0",
    "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH/",
    // DAG-CBOR, a hash that is not SHA-256, a version that does not exist, capitals.
    "bafyreiepinbumzepnoln7co5vea4kf3lcctnqolb3u6bvsellgznymt2uq",
    "bafkrgiepinbumzepnoln7co5vea4kf3lcctnqolb3u6bvsellgznymt2uq",
    "bajkreiepinbumzepnoln7co5vea4kf3lcctnqolb3u6bvsellgznymt2uq",
    "BAFKREIEPINBUMZEPNOLN7CO5VEA4KF3LCCTNQOLB3U6BVSELLGZNYMT2UQ",
  ])("is impossible for %j", (cid) => {
    expect(isVerifiable(cid)).toBe(false);
    expect(hasCid(bytesOf(""), cid)).toBeUndefined();
  });
});
