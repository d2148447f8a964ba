import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { createNodeWorld } from "../../../src/machine/world.js";
import type { HttpError } from "../../../src/web/http/http-error.js";
import type { HttpRequest } from "../../../src/web/http/http-request.js";
import { send } from "../../../src/web/http/send.js";
import { bytesOf, closedPort, failure, fastWorld, serve, type TestServer } from "./harness.js";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function started(
  handle: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<TestServer> {
  const server = await serve(handle);
  stops.push(server.stop);
  return server;
}

const get = (url: string): HttpRequest => ({ method: "GET", url, retry: true });
const put = (url: string): HttpRequest => ({ method: "PUT", url, retry: false });
const upload = (
  url: string,
  bytes: number,
  onProgress?: (sent: number, total: number) => void,
): HttpRequest => ({
  ...put(url),
  body: {
    kind: "multipart",
    parts: [
      { name: "bundle", filename: "b.zip", contentType: "application/zip", bytes: new Uint8Array(bytes) },
    ],
    onProgress,
  },
});
const failed = async (promise: Promise<unknown>): Promise<HttpError> => (await failure(promise)) as HttpError;

describe("an answer", () => {
  it("holds status, headers, bytes and text, for any status", async () => {
    const server = await started((_, response) =>
      response.writeHead(404, { "x-thing": "yes", "content-type": "text/plain" }).end("größer"),
    );
    const answer = await send(get(server.url), fastWorld());
    expect({ ...answer, headers: answer.headers.get("x-thing") }).toEqual({
      status: 404,
      statusText: "Not Found",
      headers: "yes",
      bytes: Buffer.from("größer"),
      text: "größer",
      attempts: 1,
    });
  });

  it("to a JSON body shows that the JSON arrived", async () => {
    const server = await started(async (request, response) => {
      const body = String(await bytesOf(request));
      response.end(JSON.stringify([request.method, request.headers["content-type"], body]));
    });
    const request = { ...put(server.url), body: { kind: "json", value: { a: [1, "ü"] } } } as const;
    const { text } = await send(request, fastWorld());
    expect(JSON.parse(text)).toEqual(["PUT", "application/json", '{"a":[1,"ü"]}']);
  });

  it("is refused when it is too long after decompression", async () => {
    const server = await started((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(17 * 1_048_576))),
    );
    const error = await failed(send(get(server.url), fastWorld()));
    expect([error.kind, error.message]).toEqual([
      "too-large",
      `${server.url}: the answer is longer than 16 MiB`,
    ]);
    expect(server.count()).toBe(1);
    const small = await failed(send(get(server.url), fastWorld(), { maxAnswer: 1_048_576 }));
    expect(small.message).toBe(`${server.url}: the answer is longer than 1 MiB`);
  });
});

describe("a retry", () => {
  it("follows a temporary status or a lost connection, after a wait that doubles each time", async () => {
    const server = await started((_, response, count) => {
      if (count === 1) response.destroy();
      else response.writeHead(count === 2 ? 502 : 200).end(`answer ${count}`);
    });
    const world = fastWorld({ random: 0.75 });
    const retries: unknown[] = [];
    const answer = await send(get(server.url), world, { onRetry: (...told) => retries.push(told) });
    expect([answer.status, answer.text, answer.attempts]).toEqual([200, "answer 3", 3]);
    expect(world.waits).toEqual([375, 750]);
    expect(retries).toEqual([
      [`${server.url}: the connection was lost (UND_ERR_SOCKET)`, 375],
      [`${server.url}: status 502`, 750],
    ]);
  });

  it.each([
    429, 500, 502, 503, 504, 520, 524,
  ])("follows status %i twice, then the status is the answer", async (status) => {
    const server = await started((_, response) => response.writeHead(status).end());
    const answer = await send(get(server.url), fastWorld());
    expect([answer.status, answer.attempts, server.count()]).toEqual([status, 3, 3]);
  });

  it.each([200, 400, 401, 404, 409, 501])("does not follow status %i", async (status) => {
    const server = await started((_, response) => response.writeHead(status).end());
    expect((await send(get(server.url), fastWorld())).status).toBe(status);
    expect(server.count()).toBe(1);
  });

  it("is not made for a request that does not allow it", async () => {
    const server = await started((_, response, count) =>
      count === 1 ? response.writeHead(503).end() : response.destroy(),
    );
    const world = fastWorld();
    expect((await send(put(server.url), world)).status).toBe(503);
    expect(await failed(send(put(server.url), world))).toMatchObject({ kind: "cut", mayHaveHappened: true });
    expect([server.count(), world.waits]).toEqual([2, []]);
  });

  it.each([
    ["7", 7000],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["0", 250],
    ["soon", 250],
    ["120", 120_000],
  ])("waits as long as Retry-After: %s requests", async (header, wait) => {
    const server = await started((_, response, count) =>
      response.writeHead(count === 1 ? 429 : 200, { "retry-after": header }).end(),
    );
    const world = fastWorld({ time: Date.UTC(2026, 0, 1) });
    expect((await send(get(server.url), world)).status).toBe(200);
    expect(world.waits).toEqual([wait]);
  });

  it("is not made when Retry-After exceeds two minutes", async () => {
    const server = await started((_, response) => response.writeHead(429, { "retry-after": "121" }).end());
    const answer = await send(get(server.url), fastWorld());
    expect([answer.status, answer.retryAfter, server.count()]).toEqual([429, 121_000, 1]);
  });
});

describe("a request that fails", () => {
  it("reports that the connection was refused", async () => {
    const port = await closedPort();
    const error = await failed(send(put(`http://127.0.0.1:${port}/x`), fastWorld()));
    expect([error.kind, error.mayHaveHappened, error.message]).toEqual([
      "unreachable",
      false,
      `http://127.0.0.1:${port}: the connection was refused (ECONNREFUSED)`,
    ]);
  });

  it("reports the number of attempts", async () => {
    const port = await closedPort();
    const error = await failed(send(get(`http://127.0.0.1:${port}/x`), fastWorld()));
    expect(error.message).toBe(
      `http://127.0.0.1:${port}: the connection was refused (ECONNREFUSED); gave up after 3 attempts`,
    );
  });

  it("reports that the host name does not exist", async () => {
    const error = await failed(send(put("http://nowhere.invalid/x"), fastWorld()));
    expect([error.kind, error.mayHaveHappened]).toEqual(["unreachable", false]);
    expect(error.message).toMatch(
      /^http:\/\/nowhere\.invalid: (the host name does not exist|the host name could not)/,
    );
  });

  it("reports that the server does not speak HTTPS, or not HTTP", async () => {
    const server = await started((_, response) => response.end());
    const error = await failed(send(put(server.url.replace("http:", "https:")), fastWorld()));
    expect([error.kind, error.mayHaveHappened]).toEqual(["unreachable", false]);
    expect(error.message).toContain(
      "the server does not speak HTTPS; should the address start with http://?",
    );

    const sockets: Socket[] = [];
    const tcp = createTcpServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      socket.write("SSH-2.0-OpenSSH_9.6\r\n");
    });
    await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
    stops.push(async () => {
      for (const socket of sockets) socket.destroy();
      tcp.close();
    });
    const { port } = tcp.address() as AddressInfo;
    const other = await failed(send(put(`http://127.0.0.1:${port}`), fastWorld()));
    expect([other.kind, other.message]).toEqual(["cut", expect.stringContaining("the answer is not HTTP")]);
  });

  it.each([
    "ftp://x.y/z",
    "pools",
    "",
  ])("sends nothing to %j, and does not repeat it in the message", async (url) => {
    const error = await failed(send(get(url), fastWorld()));
    expect([error.kind, error.message]).toEqual([
      "unsendable",
      'the address is not a URL that starts with "http://" or "https://"',
    ]);
  });

  it("reports a time-out when no answer arrives in time", async () => {
    const server = await started(() => {});
    const error = await failed(send(put(server.url), fastWorld(), { timeout: 300 }));
    expect([error.kind, error.mayHaveHappened, error.message]).toEqual([
      "timeout",
      true,
      `${server.url}: no answer within 0.3 s`,
    ]);
    const reading = await failed(send(get(server.url), fastWorld(), { timeout: 300 }));
    expect([reading.kind, reading.mayHaveHappened, server.count()]).toEqual(["timeout", false, 4]);
  });

  it("gives up on an answer that never completes", async () => {
    const server = await started((_, response) => {
      const clock = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(clock));
    });
    const error = await failed(send(get(server.url), fastWorld(), { timeout: 2000, answerTime: 400 }));
    expect([error.kind, error.message, server.count()]).toEqual([
      "endless",
      `${server.url}: the answer was not complete within 0.4 s`,
      1,
    ]);
  });

  it("retries an answer that is cut off, then reports it as cut", async () => {
    const server = await started((_, response) => {
      response.setHeader("content-length", "1000");
      response.write("beginning", () => response.destroy());
    });
    expect(await failed(send(get(server.url), fastWorld()))).toMatchObject({
      kind: "cut",
      mayHaveHappened: false,
    });
    expect(server.count()).toBe(3);
  });

  it("is not retried after the user interrupts it", async () => {
    const user = new AbortController();
    const server = await started(() => user.abort());
    const error = await failed(send(get(server.url), createNodeWorld(user.signal)));
    expect([error.kind, error.message, server.count()]).toEqual([
      "interrupted",
      `${server.url}: interrupted`,
      1,
    ]);
  });

  it("is not retried when the user interrupts the wait for a retry", async () => {
    const user = new AbortController();
    const server = await started((_, response) => response.writeHead(429, { "retry-after": "100" }).end());
    const pending = failed(
      send(get(server.url), createNodeWorld(user.signal), {
        onRetry: () => setTimeout(() => user.abort(), 10),
      }),
    );
    expect([(await pending).kind, server.count()]).toEqual(["interrupted", 1]);
  });
});

describe("redirects", () => {
  it("are not followed, but reported with their target and without secrets", async () => {
    const other = await started((_, response) => response.end("never"));
    const server = await started((_, response) =>
      response
        .writeHead(307, { location: `${other.url.replace("//", "//joe:secret@")}/v2/k3y-of-the-user?a=b` })
        .end(),
    );
    const error = await failed(send(get(`${server.url}/k3y-of-the-user`), fastWorld()));
    expect([error.kind, error.mayHaveHappened, error.message]).toEqual([
      "redirected",
      false,
      `${server.url}: the server redirects to "${other.url}/v2…" (status 307), which is not followed; if that address is right, use it instead`,
    ]);
    expect([server.count(), other.count()]).toEqual([1, 0]);
  });
});

describe("secrets", () => {
  it("in the address become basic authorization and are not shown", async () => {
    let seen: IncomingMessage | undefined;
    const server = await started((request, response) => {
      seen = request;
      response.destroy();
    });
    const lines: string[] = [];
    const url = `${server.url.replace("//", "//joe:p%C3%A4ss@")}/k3y-of-the-user`;
    const options = {
      onRequest: (line: string) => lines.push(line),
      onRetry: (why: string) => lines.push(why),
    };
    const error = await failed(send(get(url), fastWorld(), options));
    expect(seen?.headers.authorization).toBe(`Basic ${Buffer.from("joe:päss").toString("base64")}`);
    expect(seen?.url).toBe("/k3y-of-the-user");
    expect([error.message, ...lines].join("\n")).not.toMatch(/joe|p%C3|päss|k3y/);
    expect(lines).toHaveLength(5);
  });

  it("in the address give way to an authorization header", async () => {
    const server = await started((request, response) => response.end(request.headers.authorization));
    const url = server.url.replace("//", "//joe:pass@");
    const { text } = await send({ ...get(url), headers: { authorization: "Bearer t" } }, fastWorld());
    expect(text).toBe("Bearer t");
  });

  it("with characters that no header allows are refused and not shown", async () => {
    const server = await started((_, response) => response.end());
    const request = { ...get(server.url), headers: { authorization: "Bearer tok\nen" } };
    const error = await failed(send(request, fastWorld()));
    expect([error.kind, error.message, server.count()]).toEqual([
      "unsendable",
      `${server.url}: the header "authorization" contains characters that are not allowed in a header`,
      0,
    ]);
  });

  it("are not shown even when the address to show contains them", async () => {
    const server = await started((_, response) => response.writeHead(201).end());
    const lines: string[] = [];
    const request = {
      ...get(server.url),
      headers: { authorization: "Bearer t0ken" },
      shown: `${server.url}/a/t0ken`,
    };
    await send(request, fastWorld(), { onRequest: (line) => lines.push(line) });
    expect(lines).toEqual([`GET ${server.url}/a/… -> 201 (0 ms)`]);
  });
});

describe("an upload", () => {
  it("is streamed, and reports its progress", async () => {
    let length: string | undefined;
    const server = await started(async (request, response) => {
      length = request.headers["content-length"];
      response.end(String((await bytesOf(request)).length));
    });
    const told: [number, number][] = [];
    const lines: string[] = [];
    const answer = await send(
      upload(server.url, 1_000_000, (...progress) => told.push(progress)),
      fastWorld(),
      { onRequest: (line) => lines.push(line) },
    );
    const total = Number(answer.text);
    expect(length).toBeUndefined();
    expect(total).toBeGreaterThan(1_000_000);
    expect(told.at(-1)).toEqual([total, total]);
    expect(told.length).toBeGreaterThan(15);
    expect(told.every(([sent], index) => sent > (told[index - 1]?.[0] ?? 0))).toBe(true);
    expect(lines).toEqual([`PUT ${server.url} -> 200 (1.0 MB sent, 0 ms)`]);
  });

  it("waits for a server that reads slowly, as long as it makes progress", async () => {
    const server = await started((request, response) => {
      let read = 0;
      request.on("data", (piece: Buffer) => {
        read += piece.length;
        if (read < 4_000_000) return;
        read = 0;
        request.pause();
        setTimeout(() => request.resume(), 250);
      });
      request.on("end", () => response.end("done"));
    });
    const start = Date.now();
    const answer = await send(upload(server.url, 40_000_000), createNodeWorld(), { timeout: 1500 });
    expect([answer.text, Date.now() - start > 1700]).toEqual(["done", true]);
  });

  it("that stalls is given up, and may have had an effect", async () => {
    const server = await started(() => {});
    const error = await failed(send(upload(server.url, 20_000_000), createNodeWorld(), { timeout: 200 }));
    expect([error.kind, error.mayHaveHappened]).toEqual(["timeout", true]);
    expect(error.message).toMatch(/: the upload stalled for 0\.2 s after \d+ of 20000\d+ bytes$/);
  });

  it("that is cut off may have had an effect, and is not sent again", async () => {
    const server = await started((request) => {
      let read = 0;
      request.on("data", (piece: Buffer) => {
        read += piece.length;
        if (read > 300_000) request.destroy();
      });
    });
    const error = await failed(send(upload(server.url, 5_000_000), fastWorld()));
    expect([error.kind, error.mayHaveHappened, server.count()]).toEqual(["cut", true, 1]);
  });

  it("that cannot connect has had no effect", async () => {
    const error = await failed(
      send(upload(`http://127.0.0.1:${await closedPort()}`, 5_000_000), fastWorld()),
    );
    expect([error.kind, error.mayHaveHappened]).toEqual(["unreachable", false]);
  });

  it("that is refused early returns the answer", async () => {
    const server = await started((request, response) => {
      response.writeHead(413).end("too much");
      request.resume();
    });
    const answer = await send(upload(server.url, 5_000_000), fastWorld());
    expect([answer.status, answer.text]).toEqual([413, "too much"]);
  });

  it("passes on an error thrown by the progress callback", async () => {
    const server = await started((request) => void request.resume());
    const bug = new Error("a bug");
    const watching = upload(server.url, 500_000, () => {
      throw bug;
    });
    expect(await failure(send(watching, fastWorld()))).toBe(bug);
  });
});

describe("the connection", () => {
  it("is closed when the user interrupts an upload", async () => {
    const user = new AbortController();
    let closed: Promise<unknown> | undefined;
    const server = await started((request) => {
      closed = new Promise((resolve) => request.resume().socket.on("close", resolve));
      user.abort();
    });
    const error = await failed(send(upload(server.url, 5_000_000), createNodeWorld(user.signal)));
    expect([error.kind, error.mayHaveHappened]).toEqual(["interrupted", true]);
    await closed;
  });
});
