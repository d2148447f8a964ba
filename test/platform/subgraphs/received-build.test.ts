import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { openBuild } from "../../../src/platform/subgraphs/received-build.js";

/** A zip whose file has a wrong checksum. */
function damaged(path: string): Uint8Array {
  const zip = Buffer.from(zipSync({ [path]: strToU8("abc") }));
  for (const [header, offset] of [
    [0, 14],
    [zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2])), 16],
  ] as const)
    zip.writeUInt32LE(1, header + offset);
  return zip;
}

it("a zip without a manifest is refused before anything is unpacked", () => {
  expect(() => openBuild(damaged("readme.txt"))).toThrow("The zip has no subgraph.yaml");
});

it("a zip with a manifest is unpacked when it is read", async () => {
  const received = openBuild(damaged("subgraph.yaml"));
  expect(received.size).toBe(3);
  await expect(received.read()).rejects.toThrow("The bundle cannot be read");
});
