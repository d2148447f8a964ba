import { posix } from "node:path";
import { id } from "ethers";
import { expect } from "vitest";
import { planTemplate } from "../../../src/runtime/abi/decode-plan.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";

/** Expects that every manifest of a build reads back unchanged, from the manifest alone. */
export function expectReadable(files: ReadonlyMap<string, string | Uint8Array>): void {
  const manifests = [...files.keys()].filter((path) => /^build\/.*\.yaml$/.test(path));
  expect(manifests.length).toBeGreaterThan(0);
  for (const path of manifests) {
    const folder = `${posix.dirname(path)}/`;
    const own = [...files].filter(([file]) => file.startsWith(folder));
    const relative = new Map(own.map(([file, content]) => [file.slice(folder.length), content]));
    const built = readRunnable({ manifest: posix.basename(path), files: relative });
    expect(built.entities.types.size).toBeGreaterThan(0);
    expect(built.apiVersion).toBe("0.0.9");
    for (const source of [...built.dataSources, ...built.templates]) {
      const { events, calls } = planTemplate(source);
      expect(events.length + calls.length).toBeGreaterThan(0);
      expect(built.modules.get(source.module)?.subarray(0, 4)).toEqual(new Uint8Array([0, 0x61, 0x73, 0x6d]));
      for (const { handler, fragment } of events) {
        expect(handler.topic0).toBe(id(fragment?.format("sighash") ?? "the ABI lacks it"));
        expect(fragment?.topicHash).toBe(handler.topic0);
      }
      for (const { handler, fragment } of calls) expect(handler.selector).toBe(fragment?.selector);
    }
  }
}
