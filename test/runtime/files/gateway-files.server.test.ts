import { describe, expect, it, onTestFinished } from "vitest";
import { ChainError } from "../../../src/runtime/chain/chain.js";
import { arweavePath, blockPath } from "../../../src/runtime/files/file-path.js";
import { NoGatewayError } from "../../../src/runtime/files/files.js";
import { createGatewayFiles } from "../../../src/runtime/files/gateway-files.js";
import { type DoubleAnswer, startDouble } from "../../support/network/double-server.js";
import { realWorld } from "../../support/worlds.js";

const hash = `Qm${"a".repeat(44)}`;
const newHash = `bafkrei${"a".repeat(52)}`;
/** Waits take no time. */
const world = { ...realWorld, sleep: async () => undefined };

async function gateway(answer: DoubleAnswer | ((path: string) => DoubleAnswer)) {
  const asked: string[] = [];
  const accepted: (string | undefined)[] = [];
  const double = await startDouble(async ({ path, query, headers }) => {
    asked.push(query.size === 0 ? path : `${path}?${query}`);
    accepted.push(headers.accept);
    return typeof answer === "function" ? answer(path) : answer;
  });
  onTestFinished(() => double.stop());
  return { url: double.url, asked, accepted };
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
    const content = await createGatewayFiles({ ipfs: `${url}/ipfs/` }, world).read(path);
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
    expect(await createGatewayFiles({ ipfs: url }, world).read(path)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it.each([400, 404, 410, 504])("returns undefined when the gateway answers %s", async (status) => {
    const { url } = await gateway({ status, body: "no" });
    expect(await createGatewayFiles({ ipfs: url }, world).read(hash)).toBeUndefined();
  });

  it("returns undefined for a file that is too large", async () => {
    const { url } = await gateway({ status: 200, body: "x".repeat(25 * 1_048_576 + 1) });
    expect(await createGatewayFiles({ ipfs: url }, world).read(hash)).toBeUndefined();
  });

  it.each([
    [401, "answered with status 401: no key"],
    [500, "answered with status 500: no key"],
  ])("throws when the gateway answers %s", async (status, message) => {
    const { url } = await gateway({ status, body: "no key" });
    const reading = createGatewayFiles({ ipfs: url }, world).read(hash);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toBeInstanceOf(ChainError);
  });

  it("throws when the gateway cannot be reached, and refuses an invalid address", async () => {
    const reading = createGatewayFiles({ ipfs: "http://127.0.0.1:1" }, world).read(hash);
    await expect(reading).rejects.toThrow("The IPFS gateway: http://127.0.0.1:1");
    await expect(reading).rejects.toBeInstanceOf(ChainError);
    expect(() => createGatewayFiles({ ipfs: "gateway" }, world)).toThrow(
      "The address of the IPFS gateway is not a URL",
    );
  });
});

describe("a block of IPFS", () => {
  it("is asked for as raw bytes, but not by a path that no file has", async () => {
    const { url, asked, accepted } = await gateway({ status: 200, body: "block" });
    const files = createGatewayFiles({ ipfs: url }, world);
    expect(Buffer.from((await files.read(blockPath(`/ipfs/${hash}`))) ?? []).toString()).toBe("block");
    expect(await files.read(blockPath("no link"))).toBeUndefined();
    expect(asked).toEqual([`/ipfs/${hash}?format=raw`]);
    expect(accepted).toEqual(["application/vnd.ipld.raw"]);
  });
});

describe("a file of Arweave", () => {
  const read = (arweave: string, id: string) => createGatewayFiles({ arweave }, world).read(arweavePath(id));

  it.each([
    ["tx", "/base/tx"],
    ["tx/1.json", "/base/tx/1.json"],
    ["bad tx é", "/base/bad%20tx%20%C3%A9"],
    ["http://127.0.0.1/abs", "/base/http%3A//127.0.0.1/abs"],
    ["tx?a#b", "/base/tx%3Fa%23b"],
  ])("has the id %s below the gateway's address", async (id, expected) => {
    const { url, asked } = await gateway({ status: 200, body: "content" });
    expect(Buffer.from((await read(`${url}/base/`, id)) ?? []).toString()).toBe("content");
    expect(asked).toEqual([expected]);
  });

  it.each([
    "",
    "..",
    "../x",
    "tx/../../x",
    "./tx",
    "\ud800",
  ])("with the id %j is not asked for", async (id) => {
    const { url, asked } = await gateway({ status: 200, body: "content" });
    expect(await read(url, id)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it("may be empty", async () => {
    const { url } = await gateway({ status: 200, body: "" });
    expect(await read(url, "tx")).toEqual(Buffer.alloc(0));
  });

  it.each([202, 404, 504])("is not what a gateway answers with status %s", async (status) => {
    const { url } = await gateway({ status, body: "Pending" });
    expect(await read(url, "tx")).toBeUndefined();
  });

  it("is not what a gateway answers with status 500", async () => {
    const { url } = await gateway({ status: 500, body: "broken" });
    await expect(read(url, "tx")).rejects.toThrow("The Arweave gateway http://127.0.0.1");
  });

  it("is read after a redirect within the gateway", async () => {
    const { url, asked } = await gateway((path) =>
      path === "/tx"
        ? { status: 302, body: "", headers: { location: "/own/tx" } }
        : { status: 200, body: "content" },
    );
    expect(Buffer.from((await read(url, "tx")) ?? []).toString()).toBe("content");
    expect(asked).toEqual(["/tx", "/own/tx"]);
  });

  it("is not read after a redirect to another server, nor after the fourth redirect", async () => {
    const other = await gateway({ status: 200, body: "secret" });
    const away = await gateway({ status: 302, body: "", headers: { location: `${other.url}/tx` } });
    await expect(read(away.url, "tx")).rejects.toBeInstanceOf(ChainError);
    expect(other.asked).toEqual([]);
    const round = await gateway({ status: 302, body: "", headers: { location: "/tx" } });
    await expect(read(round.url, "tx")).rejects.toThrow("the server redirects to");
    expect(round.asked.length).toBe(4);
  });

  it("needs a gateway that is a web address, and a file of IPFS needs its own", async () => {
    expect(() => createGatewayFiles({ arweave: "gateway" }, world)).toThrow(
      "The address of the Arweave gateway is not a URL",
    );
    const { url, asked } = await gateway({ status: 200, body: "content" });
    const reading = createGatewayFiles({ arweave: url }, world).read(hash);
    await expect(reading).rejects.toBeInstanceOf(NoGatewayError);
    await expect(reading).rejects.toThrow("Pass one with --ipfs <address>");
    expect(asked).toEqual([]);
  });
});
