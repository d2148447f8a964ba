import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedData, serveData } from "../../../src/platform/data/serve-data.js";

/** A long answer, which depends on the address only. */
const bodyOf = (url: string): string => JSON.stringify({ url, data: "blocks ".repeat(400) });

describe("the data service over HTTP", () => {
  let served: ServedData;
  beforeAll(async () => {
    served = await serveData({
      service: {
        answer: async ({ method, url }) =>
          url.startsWith("/refused")
            ? { status: 401, headers: {}, body: '{"error":{"code":"UNAUTHORIZED","message":"no"}}' }
            : { status: 200, headers: { "x-method": method }, body: bodyOf(url) },
      },
      host: "127.0.0.1",
      port: 0,
    });
  });
  afterAll(() => served.close());

  async function ask(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = "GET",
  ): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: Buffer }> {
    const sent = request(`${served.address}${path}`, { method, headers, agent: false }).end();
    const [response] = await once(sent, "response");
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece);
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) };
  }

  /** The answer to bytes that need not be a request. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(served.address).port), "127.0.0.1");
    socket.write(bytes);
    return text(socket);
  }

  it.each([
    ["an encoding that is none", "GET /blocks/eth%FFereum HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
    ["a method that is none", "FOO /blocks/ethereum HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["bytes beyond ASCII", "GET /bl\u00f6cke HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
    ["no HTTP at all", "hello\r\n\r\n"],
    ["headers that are too long", `GET / HTTP/1.1\r\nhost: x\r\na: ${"b".repeat(70_000)}\r\n\r\n`],
  ])("refuses %s in the form of all refusals", async (_, bytes) => {
    const [head = "", body = ""] = (await raw(bytes)).split("\r\n\r\n");
    if (head.startsWith("HTTP/1.1 200")) return expect(body).toContain('"url"');
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(head).toMatch(/content-type: application\/json; charset=utf-8/i);
    expect(JSON.parse(body)).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
  });

  it("compresses long answers as the client prefers", async () => {
    const plain = await ask("/blocks/a");
    expect([plain.headers["content-encoding"], plain.body.toString()]).toEqual([
      undefined,
      bodyOf("/blocks/a"),
    ]);
    const unpacked = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [accepted, encoding] of [
      ["gzip, br", "br"],
      ["gzip;q=1, br;q=0.5", "gzip"],
      ["br;q=0, *", "gzip"],
      ["gzip, deflate", "gzip"],
    ] as const) {
      const { headers, body } = await ask("/blocks/a", { "accept-encoding": accepted });
      expect([headers["content-encoding"], headers.vary]).toEqual([encoding, "accept-encoding"]);
      expect(body.length).toBeLessThan(plain.body.length / 10);
      expect(unpacked[encoding](body).toString()).toBe(bodyOf("/blocks/a"));
    }
    for (const accepted of ["identity", "deflate", "br;q=0, gzip;q=0"])
      expect((await ask("/blocks/a", { "accept-encoding": accepted })).body).toEqual(plain.body);
  });

  it("shows its explorer to clients that take compressed answers", async () => {
    for (const accepted of ["gzip, deflate", "br", "identity"]) {
      const page = await fetch(`${served.address}/docs`, { headers: { "accept-encoding": accepted } });
      expect(await page.text()).toContain("graphloom: data service");
    }
  });

  it("reports that nothing has changed to a client that already has the answer", async () => {
    for (const path of ["/blocks/a", "/openapi.json"]) {
      const { etag } = (await ask(path)).headers;
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
      for (const known of [String(etag), `"other", ${etag}`, "*"]) {
        const again = await ask(path, { "if-none-match": known, "accept-encoding": "br" });
        expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
      }
      expect((await ask(path, { "if-none-match": '"other"' })).status).toBe(200);
    }
    const refused = await ask("/refused", { "if-none-match": "*" });
    expect([refused.status, refused.headers.etag]).toEqual([401, undefined]);
  });

  it("lets pages of other origins read answers, refusals too", async () => {
    for (const path of ["/blocks/a", "/refused", "/openapi.json"])
      expect((await ask(path, { origin: "https://app.example" })).headers).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "*",
      });
    const asked = { origin: "https://app.example", "access-control-request-method": "GET" };
    const preflight = await ask(
      "/blocks/a",
      { ...asked, "access-control-request-headers": "x-api-key" },
      "OPTIONS",
    );
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, HEAD",
        "access-control-allow-headers": expect.stringContaining("x-api-key"),
      },
    });
    expect(preflight.body.length).toBe(0);
  });
});
