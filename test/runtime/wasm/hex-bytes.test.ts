import { expect, it } from "vitest";
import { HexBytes } from "../../../src/runtime/wasm/heap.js";

it("the decoder decodes a hex string the first time and again, after many others", () => {
  const known = new HexBytes();
  const texts = Array.from({ length: 2_500 }, (_, index) => `0x${index.toString(16).padStart(64, "0")}`);
  const all = [...texts, "0x", "0xff", `0x${"ab".repeat(5_000)}`];
  for (const round of [all, all.slice().reverse(), all]) {
    for (const text of round) expect(`0x${Buffer.from(known.of(text)).toString("hex")}`).toBe(text);
  }
});
