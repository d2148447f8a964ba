import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { overlappingZip, repeatingZip, understatingZip, zipOfZeros } from "../support/server/zip-bombs.js";

const limits = { extracted: 1000, files: 10 };
const text = strToU8("abc ".repeat(100));

/** A zip in which one number is overwritten, at an offset from a signature. */
function changed(zip: Uint8Array, signature: number, offset: number, value: number): Uint8Array {
  const copy = zip.slice();
  const view = new DataView(copy.buffer);
  for (let at = 0; at < copy.length - 4; at++) {
    if (view.getUint32(at, true) === signature) view.setUint32(at + offset, value, true);
  }
  return copy;
}
const directory = 0x02014b50;
const end = 0x06054b50;
const local = 0x04034b50;

/** A zip with one byte of a name changed. */
function renamed(zip: Uint8Array, at: number): Uint8Array {
  const copy = zip.slice();
  copy[at] = "z".charCodeAt(0);
  return copy;
}

/** A zip whose files have another compression, in both places. */
function withMethod(zip: Uint8Array, method: number): Uint8Array {
  const copy = Buffer.from(zip);
  copy.writeUInt16LE(method, copy.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 10);
  copy.writeUInt16LE(method, 8);
  return copy;
}

/** A zip whose directory begins before the end of its file. */
function hiddenInDirectory(): Uint8Array {
  const zip = Buffer.from(zipSync({ a: text }));
  const [at, last] = [zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2])), zip.length - 22];
  const entry = zip.subarray(at, last);
  const inside = Buffer.concat([zip.subarray(0, at), entry, zip.subarray(at)]);
  const grown = inside.indexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  // The file claims the bytes up to its own directory.
  inside.writeUInt32LE(at - 31 + 1, 18);
  inside.writeUInt32LE(at - 31 + 1, at + 20);
  inside.writeUInt32LE(at, grown + 16);
  inside.writeUInt32LE(entry.length, grown + 12);
  return inside;
}

describe("the zip of a build", () => {
  it("is unpacked without its folders, with deflated and stored files", async () => {
    const zip = zipSync({ "a.txt": text, sub: { "b.txt": [text, { level: 0 }] }, empty: {} });
    expect(await unzipBundle(zip, limits)).toEqual(
      new Map([
        ["a.txt", Buffer.from(text)],
        ["sub/b.txt", text],
      ]),
    );
  });

  it("may end with a comment", async () => {
    const zip = zipSync({ "a.txt": text });
    const comment = new Uint8Array([...zip.subarray(0, -2), 3, 0, 65, 66, 67]);
    expect([...(await unzipBundle(comment, limits)).keys()]).toEqual(["a.txt"]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["is not a zip", strToU8("PK, but no zip, as long as the end of one"), /^It is not a zip$/],
    ["is empty", new Uint8Array(), /^It is not a zip$/],
    ["is of the kind Zip64", changed(zipSync({ a: text }), end, 16, 0xffffffff), /in the Zip64 format/],
    ["is cut", zipSync({ "a.txt": text }).subarray(10), /^The zip is damaged$/],
    ["names a folder outside", zipSync({ "../a.txt": text }), /leads outside: "?\.\.\/a\.txt/],
    ["leaves the folder in the middle of a path", zipSync({ "a/../../b": text }), /leads outside/],
    ["names an absolute path", zipSync({ "/etc/passwd": text }), /leads outside/],
    ["names a Windows path", zipSync({ "C:\\a": text }), /leads outside/],
    ["has a backslash", zipSync({ "a\\..\\b": text }), /leads outside/],
    ["holds too much", zipSync({ a: text, b: text, c: text }), /more than 1,000 bytes/],
    [
      "holds too much without compression",
      zipSync({ a: new Uint8Array(1001) }, { level: 0 }),
      /more than 1,000 bytes/,
    ],
    [
      "states a smaller size",
      understatingZip(10, 5_000),
      /its size differs from the size that the zip states/,
    ],
    ["states a larger size", understatingZip(900, 500), /its size differs from the size that the zip states/],
    ["states sizes of 4 GB", overlappingZip(3, 100, 0xfffffff0), /overlap/],
    ["states too much in all", zipOfZeros(6, 200), /more than 1,000 bytes/],
    ["has overlapping files", overlappingZip(5, 100), /overlap/],
    ["names the same bytes many times", repeatingZip(5, 100), /overlap/],
    ["has files in its directory", hiddenInDirectory(), /overlap/],
    ...[
      ["size", 24],
      ["packed size", 20],
      ["checksum", 16],
      ["compression", 10],
    ].map(([what, offset]): [string, Uint8Array, RegExp] => [
      `has another ${what} in its directory than before the file`,
      changed(zipSync({ a: text }), directory, Number(offset), 9),
      /says two things about|damaged/,
    ]),
    ["has another name before the file", renamed(zipSync({ a: text }), 30), /says two things about/],
    [
      "has a wrong checksum",
      changed(changed(zipSync({ a: text }), directory, 16, 1), local, 14, 1),
      /its checksum is wrong/,
    ],
    ["has too many files", zipSync(Object.fromEntries(many(11))), /has 11 files, but only 10 are allowed/],
    ["uses a different compression", withMethod(zipSync({ a: text }), 9), /unsupported compression method/],
    ["is encrypted", changed(zipSync({ a: text }), directory, 8, 1 | (8 << 16)), /encrypted/],
    ["refers to data beyond its end", changed(zipSync({ a: text }), directory, 42, 1_000_000), /damaged/],
    ["has a file longer than the zip", changed(zipSync({ a: text }), directory, 20, 1_000_000), /damaged/],
    ["has its directory outside the file", changed(zipSync({ a: text }), end, 16, 0xffffff00), /damaged/],
  ])("is refused when it %s", async (_, zip, message) => {
    await expect(unzipBundle(zip, limits)).rejects.toThrow(
      expect.objectContaining({ name: "BundleError", message: expect.stringMatching(message) }),
    );
  });

  it("is refused when its bytes were changed", async () => {
    const zip = zipSync({ a: text });
    zip.fill(0xff, 31, 36);
    await expect(unzipBundle(zip, limits)).rejects.toThrow(/"?a"? is damaged in the zip/);
  });

  it("is refused when it has a file twice", async () => {
    const zip = zipSync({ a: text, b: text });
    for (let at = 0; at < zip.length; at++) if (zip[at] === "b".charCodeAt(0)) zip[at] = "a".charCodeAt(0);
    await expect(unzipBundle(zip, limits)).rejects.toThrow(/twice/);
  });
});

function* many(count: number): Generator<[string, Uint8Array]> {
  for (let index = 0; index < count; index++) yield [`f${index}`, text];
}

it("unzipBundle lets other work run while it unpacks many small files", async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const files = await unzipBundle(zipOfZeros(3_200, 1_000));
  isOver = true;
  expect(files.size).toBe(3_200);
  expect(turns).toBeGreaterThanOrEqual(3_200 / 32);
});
