import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";

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
    ["names a folder outside", zipSync({ "../a.txt": text }), /leads out of it: "?\.\.\/a\.txt/],
    ["leaves the folder in the middle of a path", zipSync({ "a/../../b": text }), /leads out of it/],
    ["names an absolute path", zipSync({ "/etc/passwd": text }), /leads out of it/],
    ["names a Windows path", zipSync({ "C:\\a": text }), /leads out of it/],
    ["has a backslash", zipSync({ "a\\..\\b": text }), /leads out of it/],
    ["holds too much", zipSync({ a: text, b: text, c: text }), /more than 1,000 bytes/],
    [
      "holds too much without compression",
      zipSync({ a: new Uint8Array(1001) }, { level: 0 }),
      /more than 1,000 bytes/,
    ],
    ["states a smaller size", changed(zipSync({ a: new Uint8Array(5000) }), directory, 24, 10), /more than/],
    [
      "states a wrong size",
      changed(zipSync({ a: text }), directory, 24, 10),
      /its size differs from the size that the zip states/,
    ],
    ["has too many files", zipSync(Object.fromEntries(many(11))), /has 11 files, but only 10 are allowed/],
    [
      "uses a different compression",
      changed(zipSync({ a: text }), directory, 10, 9),
      /unsupported compression method/,
    ],
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
    const at = zip.lastIndexOf("b".charCodeAt(0));
    zip[at] = "a".charCodeAt(0);
    await expect(unzipBundle(zip, limits)).rejects.toThrow(/twice/);
  });
});

function* many(count: number): Generator<[string, Uint8Array]> {
  for (let index = 0; index < count; index++) yield [`f${index}`, text];
}
