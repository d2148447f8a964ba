import { describe, expect, it, onTestFinished } from "vitest";
import { ChainError } from "../../../src/runtime/chain/chain.js";
import { createGatewayFiles } from "../../../src/runtime/files/gateway-files.js";
import { type DoubleAnswer, startDouble } from "../../support/network/double-server.js";
import { realWorld } from "../../support/worlds.js";

const hash = `Qm${"a".repeat(44)}`;
const newHash = `bafkrei${"a".repeat(52)}`;
/** Waits take no time. */
const world = { ...realWorld, sleep: async () => undefined };

async function gateway(answer: DoubleAnswer | ((path: string) => DoubleAnswer)) {
  const asked: string[] = [];
  const double = await startDouble(async ({ path }) => {
    asked.push(path);
    return typeof answer === "function" ? answer(path) : answer;
  });
  onTestFinished(() => double.stop());
  return { url: double.url, asked };
}

describe("a file of a gateway", () => {
  it.each([
    [hash, `/ipfs/${hash}`],
    [`/ipfs/${hash}`, `/ipfs/${hash}`],
    [`ipfs/${hash}/`, `/ipfs/${hash}`],
    [`ipfs://${newHash}`, `/ipfs/${newHash}`],
    [`https://example.com/ipfs/${hash}/1.json?filename=1#a`, `/ipfs/${hash}/1.json`],
    [`${hash}/a b/c?d#e.json`, `/ipfs/${hash}/a%20b/c%3Fd%23e.json`],
  ])("reads a file by %s", async (path, expected) => {
    const { url, asked } = await gateway({ status: 200, body: "content" });
    const content = await createGatewayFiles(`${url}/ipfs/`, world).read(path);
    expect(Buffer.from(content ?? []).toString()).toBe("content");
    expect(asked).toEqual([expected]);
  });

  it.each([
    "",
    "Qm",
    "https://example.com",
    `https://example.com/${hash}`,
    `${hash}/../../x`,
    `${hash}/./x`,
    `/ipns/${hash}`,
    `${hash}/\ud800`,
  ])("returns undefined for %j without a request", async (path) => {
    const { url, asked } = await gateway({ status: 200, body: "content" });
    expect(await createGatewayFiles(url, world).read(path)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it.each([400, 404, 410, 504])("returns undefined when the gateway answers %s", async (status) => {
    const { url } = await gateway({ status, body: "no" });
    expect(await createGatewayFiles(url, world).read(hash)).toBeUndefined();
  });

  it("returns undefined for a file that is too large", async () => {
    const { url } = await gateway({ status: 200, body: "x".repeat(25 * 1_048_576 + 1) });
    expect(await createGatewayFiles(url, world).read(hash)).toBeUndefined();
  });

  it.each([
    [401, "answered with status 401: no key"],
    [500, "answered with status 500: no key"],
  ])("throws when the gateway answers %s", async (status, message) => {
    const { url } = await gateway({ status, body: "no key" });
    const reading = createGatewayFiles(url, world).read(hash);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toBeInstanceOf(ChainError);
  });

  it("throws when the gateway cannot be reached, and refuses an invalid address", async () => {
    const reading = createGatewayFiles("http://127.0.0.1:1", world).read(hash);
    await expect(reading).rejects.toThrow("The IPFS gateway: http://127.0.0.1:1");
    await expect(reading).rejects.toBeInstanceOf(ChainError);
    expect(() => createGatewayFiles("gateway", world)).toThrow(
      "The address of the IPFS gateway is not a URL",
    );
  });
});
