import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { useFolder } from "../../support/folder.js";
import { readExposition, sampleValue } from "../../support/server/exposition.js";
import { deployForm } from "../../support/server/platform-server.js";
import { overlappingZip, repeatingZip, understatingZip, zipOfZeros } from "../../support/server/zip-bombs.js";
import { demoFiles, killServed, type Served, startServed } from "./served.js";

const places = { bombs: useFolder(), lanes: useFolder(), short: useFolder() };
const mebibyte = 1_048_576;

/** Megabytes of memory that a process had at most. */
function peakOf({ child }: Served): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

function upload({ ask }: Served, bundle: Uint8Array, version: string): Promise<Response> {
  return ask(`/api/v1/subgraphs/bomb/deployments/${version}`, { method: "PUT", body: deployForm(bundle) });
}

it("a bundle that unpacks to more than it declares uses no more memory than one bundle may", async () => {
  const home = places.bombs;
  const served = await startServed(["--data", `${home}/data`], home);
  try {
    // Whatever is loaded for a deployment is loaded before the peak is read.
    expect((await upload(served, zipOfZeros(2, 1_000), "0.0.0")).status).toBe(422);
    const before = peakOf(served);
    const bombs = [
      overlappingZip(500, 200_000),
      overlappingZip(500, 200_000, 1_000),
      repeatingZip(5_000, 200_000),
      understatingZip(1_000, 90_000_000),
      zipOfZeros(1_000, 200_000),
      zipOfZeros(9_000, 10_000),
    ];
    const answers = await Promise.all(
      Array.from({ length: 48 }, (_, index) =>
        upload(served, bombs[index % bombs.length] ?? Buffer.alloc(0), `1.0.${index}`),
      ),
    );
    // The last bomb fits the limits: it is unpacked, and has no manifest. Many wait for it, and some are refused.
    expect(answers.map(({ status }) => status).filter((one) => ![400, 413, 422, 429].includes(one))).toEqual(
      [],
    );
    expect(peakOf(served) - before).toBeLessThan(450);
    await served.deploy(await demoFiles()).catch((error: unknown) => {
      // This server has no node; it has read the bundle.
      expect(String(error)).toContain("does not index");
    });
  } finally {
    await killServed(served);
  }
});

it("a small bundle does not wait for large ones", async () => {
  const home = places.lanes;
  const served = await startServed(["--data", `${home}/data`], home);
  try {
    const answered: string[] = [];
    const send = async (name: string, bundle: Buffer): Promise<void> => {
      expect((await upload(served, bundle, name)).status).toBe(422);
      answered.push(name);
    };
    const bundle = zipOfZeros(9_000, 10_000);
    const large = Array.from({ length: 4 }, (_, index) => send(`1.0.${index}`, bundle));
    // The others have arrived and wait.
    await Promise.race(large);
    await Promise.all([...large, send("0.0.1", zipOfZeros(2, 1_000))]);
    expect(answered[1]).toBe("0.0.1");
  } finally {
    await killServed(served);
  }
});

it("a server that is short of memory refuses uploads and checks, and its metrics give the reason", async () => {
  const home = places.short;
  const served = await startServed(["--data", `${home}/data`, "--memory", "256m"], home);
  try {
    const refused = await upload(served, zipOfZeros(2, 1_000), "1.0.0");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining("short of memory") });
    const check = await served.ask("/api/v1/pipelines/check", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "name: x" }),
    });
    expect([check.status, check.headers.get("retry-after")]).toEqual([503, "10"]);
    const samples = readExposition(await (await served.ask("/metrics")).text());
    expect(sampleValue(samples, "graphloom_memory_limit_bytes")).toBe(256 * mebibyte);
    expect(sampleValue(samples, "graphloom_memory_used_bytes")).toBeGreaterThan(218 * mebibyte);
    expect((await served.ask("/health")).status).toBe(200);
  } finally {
    await killServed(served);
  }
});
