import { createRequire } from "node:module";
import { expect, test } from "vitest";
import type { AscInput, Optimization } from "../../../src/compiler/asc/asc.js";
import { inspectWasm } from "../../../src/compiler/asc/inspect-wasm.js";
import { ascEachTime as asc } from "../../support/compiler/asc.js";
import { handler } from "./harness.js";

const input: AscInput = handler(`
  let id = event.transaction.hash.toHexString() + "-" + event.logIndex.toString();
  let doubled = event.block.number.times(BigInt.fromI32(2));
  assert(id.length > 0 && doubled.gt(BigInt.zero()));
`);

async function compiled(mode: Optimization): Promise<Buffer> {
  const output = await asc.compile({ ...input, mode });
  expect(output.kind).toBe("compiled");
  return Buffer.from((output as { wasm: Uint8Array }).wasm);
}

test("the fast optimiser gives the same bytes after any earlier compilation, and does not affect the full optimiser", async () => {
  const [fast, full] = [await compiled("fast"), await compiled("full")];
  expect((await compiled("fast")).equals(fast)).toBe(true);
  expect((await compiled("full")).equals(full)).toBe(true);
  expect(inspectWasm(fast)).toEqual(inspectWasm(full));
});

test("the fast optimiser gives about the same size as the full optimiser, and keeps function names", async () => {
  const [fast, full] = [await compiled("fast"), await compiled("full")];
  expect(fast.length / full.length).toBeLessThan(1.2);
  expect(fast.includes("src/mapping/handle")).toBe(true);
});

interface Binaryen {
  readonly ready: Promise<unknown>;
  readonly Features: { readonly MVP: number };
  readBinary(wasm: Uint8Array): { setFeatures(features: number): void; validate(): number };
}

test("the fast optimiser uses only features of the first version of WebAssembly", async () => {
  const theirs = createRequire(createRequire(import.meta.url).resolve("assemblyscript"));
  const binaryen = theirs("binaryen/wasm") as Binaryen;
  await binaryen.ready;
  const module = binaryen.readBinary(await compiled("fast"));
  module.setFeatures(binaryen.Features.MVP);
  expect(module.validate()).toBe(1);
});
