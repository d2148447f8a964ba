import { randomBytes } from "node:crypto";
import { blake3 } from "@noble/hashes/blake3";
import { expect, test } from "vitest";
import { makeStableHash } from "../../../scripts/make-stable-hash.mjs";
import { newStableHash } from "../../../src/runtime/poi/stable-hash.js";
import { stableHash } from "../../../src/runtime/poi/stable-hash-wasm.js";

test("the compiled hash equals its source", async () => {
  expect(await makeStableHash()).toContain(stableHash);
});

test("the compiled BLAKE3 gives the bytes of the library, for any length of one chunk", () => {
  const compiled = newStableHash();
  const memory = Buffer.from(compiled.memory.buffer);
  const at = compiled.input.value;
  for (const length of [0, 1, 63, 64, 65, 127, 128, 129, 200, 257, 1000, 1023, 1024]) {
    const bytes = randomBytes(length);
    memory.set(bytes, at);
    compiled.blake3(at, length, at + 1024, 4);
    const found = Uint8Array.from(memory.subarray(at + 1024, at + 1280)).reverse();
    expect(found, `${length} bytes`).toEqual(blake3(bytes, { dkLen: 256 }));
  }
});
