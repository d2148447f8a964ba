import { describe, expect, it } from "vitest";
import { recordHost } from "../../../src/compiler/cache/recorded-host.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

describe("a recorded host", () => {
  it("records every request once, in order", async () => {
    const host = recordHost(memoryHost({ a: "1", b: "2" }));
    await Promise.all([host.readFile("b", 9), host.readFile("a", 9), host.readFile("b", 9)]);
    await host.readFile("b", 0);
    expect(host.asked).toEqual([
      { path: "b", limit: 9 },
      { path: "a", limit: 9 },
      { path: "b", limit: 0 },
    ]);
  });

  it("reads standard input only once", async () => {
    const below = memoryHost({ "-": "in" });
    const host = recordHost(below);
    const [outcome] = await host.outcomes([{ path: "-", limit: 9 }]);
    const read = await host.readFile("-", 9);
    expect([outcome?.kind, read.kind, below.reads]).toEqual(["bytes", "bytes", ["-"]]);
  });

  it("reports the outcome of a read without its bytes, and does not record that", async () => {
    const host = recordHost(memoryHost({ a: "abc", "folder/b": "" }));
    const outcomes = await host.outcomes(
      ["a", "none", "folder"].map((path) => ({ path, limit: 9 })).concat({ path: "a", limit: 2 }),
    );
    expect(outcomes).toEqual([
      { kind: "bytes", sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
      { kind: "missing" },
      { kind: "directory" },
      { kind: "too-large", size: 3 },
    ]);
    expect(host.asked).toEqual([]);
  });
});
