import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { createIpfsClient } from "../../../src/deploy/ipfs/ipfs-client.js";
import { IpfsError } from "../../../src/deploy/ipfs/ipfs-error.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import { HttpError } from "../../../src/web/http/http-error.js";
import { cidV0 } from "../../../src/web/ipfs/cid.js";
import type { DoubleFault } from "../../support/network/double-server.js";
import { type IpfsDouble, startIpfsDouble } from "../../support/network/ipfs-double.js";

const world = { ...createNodeWorld(), sleep: async () => {} };
const bytes = new TextEncoder().encode("hello world\n");
const cid = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o";

let ipfs: IpfsDouble;
beforeEach(async () => {
  ipfs = await startIpfsDouble();
});
afterEach(() => ipfs.stop());

describe("adding a file", () => {
  test.each([
    "",
    "/",
    "/api/v0",
    "/api/v0/",
  ])("returns the hash of a file and pins it, at an address that ends with %j", async (end) => {
    const client = createIpfsClient(`${ipfs.url}${end}`, world);
    expect(client.origin).toBe(ipfs.url);
    expect(await client.addFile("Pool/Pool.json", bytes)).toBe(cid);
    expect(ipfs.added).toEqual([{ filename: "Pool.json", cid, bytes: Buffer.from(bytes) }]);
    expect(ipfs.pinned).toContain(cid);
    expect(ipfs.requests.map(({ method, path }) => [method, path])).toEqual([["POST", "/api/v0/add"]]);
  });

  test.each([0, 1, 262_145, 3_000_000])("adds a file of %d bytes", async (length) => {
    const file = new Uint8Array(length).map((_, index) => index * 7);
    expect(await createIpfsClient(ipfs.url, world).addFile("a.wasm", file)).toBe(cidV0(file));
    expect(ipfs.added[0]?.bytes.length).toBe(length);
  });

  it("adds a file with any name", async () => {
    const client = createIpfsClient(ipfs.url, world);
    await client.addFile('a b/100% ä "%41".json', bytes);
    expect(ipfs.added.map((file) => [file.filename, file.cid])).toEqual([['100% ä "%41".json', cid]]);
  });

  it("splits a file as graph deploy does, for any defaults of the node", async () => {
    await createIpfsClient(ipfs.url, world).addFile("a", bytes);
    expect(Object.fromEntries(ipfs.requests[0]?.query ?? [])).toEqual({
      pin: "true",
      "wrap-with-directory": "false",
      progress: "false",
      "cid-version": "0",
      "raw-leaves": "false",
      chunker: "size-262144",
    });
  });

  it("fails when the node returns a different hash", async () => {
    ipfs.misname(() => "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH");
    await expect(createIpfsClient(ipfs.url, world).addFile("a.json", bytes)).rejects.toThrow(
      `IPFS at ${ipfs.url} returned the hash QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH for "a.json", but the hash of its content is ${cid}; the file`,
    );
  });

  it("retries when the node is busy or unreachable for a moment", async () => {
    ipfs.fail({ kind: "status", status: 503 }, { kind: "cut" });
    expect(await createIpfsClient(ipfs.url, world).addFile("a", bytes)).toBe(cid);
    expect(ipfs.requests).toHaveLength(3);
  });

  test.each<[string, DoubleFault, string]>([
    [
      "a message of Kubo",
      { kind: "status", status: 400, text: '{"Message":"no space\\u001b[31m","Code":0,"Type":"error"}' },
      String.raw`did not add "a" (status 400): no space\u001b[31m`,
    ],
    [
      "another message",
      { kind: "status", status: 404, text: "nothing\nhere\n" },
      String.raw`did not add "a" (status 404): nothing\nhere`,
    ],
    ["no message", { kind: "status", status: 405 }, 'did not add "a" (status 405)'],
    [
      "a request for credentials",
      { kind: "status", status: 401 },
      "(status 401); it requires a user and a password, which you can put in its address",
    ],
    [
      "an answer that is not JSON",
      { kind: "text", text: "<html>" },
      'did not return the hash of "a" (status 200): <html>',
    ],
    [
      "an error in the stream",
      { kind: "text", text: '{"Message":"disk is full"}' },
      'did not return the hash of "a" (status 200): disk is full',
    ],
    [
      "a very long message",
      { kind: "status", status: 400, text: "x".repeat(100_000) },
      `: ${"x".repeat(500)}…`,
    ],
  ])("fails with %s", async (_, fault, message) => {
    ipfs.fail(fault);
    const adding = createIpfsClient(ipfs.url, world).addFile("a", bytes);
    await expect(adding).rejects.toThrow(IpfsError);
    await expect(adding).rejects.toThrow(message);
    const text = await adding.catch((error: Error) => error.message);
    expect(text.length).toBeLessThan(700);
  });

  it("sends the user and password of the address, and never prints them", async () => {
    const lines: string[] = [];
    const address = `${ipfs.url.replace("//", "//someone:secret@")}/deep-secret-key/api/v0`;
    const client = createIpfsClient(address, world, { onRequest: (line) => lines.push(line) });
    const failure = await client.addFile("a", bytes).catch((error: Error) => error);
    expect(ipfs.requests[0]?.headers.authorization).toBe(`Basic ${btoa("someone:secret")}`);
    expect(ipfs.requests[0]?.path).toBe("/deep-secret-key/api/v0/add");
    expect(`${failure} ${lines.join()}`).not.toMatch(/secret|someone/);
    expect(lines[0]).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/api\/v0\/add -> 404/);
  });

  it("fails when the connection is refused or the address is not a URL", async () => {
    await ipfs.stop();
    await expect(createIpfsClient(ipfs.url, world).addFile("a", bytes)).rejects.toThrow(HttpError);
    expect(() => createIpfsClient("localhost:5001", world)).toThrow(
      'The address of the IPFS node is not a URL that starts with "http://" or "https://"',
    );
  });
});

describe("a pin", () => {
  it("only looks up a pin that exists", async () => {
    const client = createIpfsClient(ipfs.url, world);
    await client.addFile("a", bytes);
    await client.verifyPinned(cid);
    expect(ipfs.requests.map(({ path }) => path)).toEqual(["/api/v0/add", "/api/v0/pin/ls"]);
  });

  it("creates a pin that is missing", async () => {
    ipfs.pinsOnAdd = false;
    const client = createIpfsClient(ipfs.url, world);
    await client.addFile("a", bytes);
    expect(ipfs.pinned).not.toContain(cid);
    await client.verifyPinned(cid);
    expect(ipfs.pinned).toContain(cid);
    // The lookup, which the node answers with an error that means no, and the request to pin.
    expect(ipfs.requests.map(({ path }) => path).slice(1)).toEqual(["/api/v0/pin/ls", "/api/v0/pin/add"]);
  });

  it("creates a pin when the answer to the lookup is invalid", async () => {
    const client = createIpfsClient(ipfs.url, world);
    for (const text of ["{}", "null", '{"Keys":{"other":{}}}', "<html>"]) {
      await client.addFile("a", bytes);
      ipfs.fail({ kind: "text", text });
      await client.verifyPinned(cid);
      expect(ipfs.requests.at(-1)?.path).toBe("/api/v0/pin/add");
    }
  });

  it("fails to pin content that is missing", async () => {
    await expect(createIpfsClient(ipfs.url, world).verifyPinned(cid)).rejects.toThrow(
      `IPFS at ${ipfs.url} did not pin ${cid} (status 500): pin: block was not found locally`,
    );
  });
});
