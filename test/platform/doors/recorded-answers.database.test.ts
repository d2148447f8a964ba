import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { type DoorServer, startDoorServer, uploadedFiles } from "./door-server.js";

interface Case {
  readonly label: string;
  /** A string is sent as it is. */
  readonly request?: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** Requests to the admin port of a graph-node 0.44, and its answers with their members in order. */
const cases = readFileSync(new URL("admin-cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line): Case => JSON.parse(line));

const databases = onEither();
let server: DoorServer;
beforeAll(async () => {
  server = await startDoorServer(await databases.fresh());
});
afterAll(() => server.close());

/** The ids of names are random. */
const plain = (text: string): string => text.replaceAll(/"id":"[0-9a-f]{32}"/g, '"id":"random"');

describe("the admin port answers byte for byte as graph-node did", () => {
  // graph-node had the files of that deployment.
  const { hash } = uploadedFiles();
  const sent = (text: string): string =>
    text.replaceAll("QmbeEhzCxLFdhohL6HkiZgSNXUftNmMkjHEegD8Ce6NCt2", hash);

  test.each(cases)("$label", async ({ label, request, status, answer }) => {
    if (label === "deploy to unknown name") await server.upload(uploadedFiles());
    const [, method = "POST", path = "/"] = /^(GET|POST) (\/\S*)$/.exec(label) ?? [];
    const got = await fetch(`${server.doors.admin}${path}`, {
      method,
      ...(request !== undefined && {
        body: typeof request === "string" ? request : sent(JSON.stringify(request)),
      }),
    });
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    expect([got.status, plain(await got.text())]).toEqual([status, plain(text)]);
  });

  test("for any content type of the request", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "nope", params: {} });
    for (const type of [
      "text/plain",
      "application/json; charset=utf-8",
      "application/x-www-form-urlencoded",
    ]) {
      const got = await fetch(server.doors.admin, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      expect([got.status, got.headers.get("content-type"), await got.text()]).toEqual([
        200,
        "application/json",
        '{"error":{"code":-32601,"message":"Method not found"},"id":1,"jsonrpc":"2.0"}',
      ]);
    }
  });

  test("a call without an id is carried out, also in a batch, where it has no answer", async () => {
    const notification = { jsonrpc: "2.0", method: "subgraph_create", params: { name: "quiet" } };
    const batch = [notification, { ...notification, id: 1, method: "nope" }];
    const got = await fetch(server.doors.admin, { method: "POST", body: JSON.stringify(batch) });
    expect(await got.text()).toBe(
      '[{"error":{"code":-32601,"message":"Method not found"},"id":1,"jsonrpc":"2.0"}]',
    );
    expect(await server.call("subgraph_deploy", { name: "quiet", ipfs_hash: "Qm" })).toContain(
      "resolve error",
    );
    const rows = await server.platform.database.query(SQL`select name from graphloom.door_names`);
    expect(rows).toContainEqual({ name: "quiet" });
  });

  test.each([
    ["no method", '{"jsonrpc":"2.0","id":1}'],
    ["a number", "5"],
    ["a batch with something else in it", '[{"jsonrpc":"2.0","id":1,"method":"nope"},5]'],
    ["nothing", ""],
  ])("an invalid request is a parse error: %s", async (_, body) => {
    const got = await fetch(server.doors.admin, { method: "POST", body });
    expect(await got.text()).toBe(
      '{"error":{"code":-32700,"message":"Parse error"},"id":null,"jsonrpc":"2.0"}',
    );
  });

  test("a batch of more than 100 calls is refused", async () => {
    const calls = Array.from({ length: 101 }, (_, id) => ({ jsonrpc: "2.0", id, method: "nope" }));
    const got = await fetch(server.doors.admin, { method: "POST", body: JSON.stringify(calls) });
    expect(await got.text()).toBe(
      '{"error":{"code":-32600,"message":"Invalid Request"},"id":null,"jsonrpc":"2.0"}',
    );
  });
});

describe("the IPFS port answers byte for byte as an IPFS node does", () => {
  const hello = new TextEncoder().encode("hello world\n");
  const cid = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o";
  const empty = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH";
  const missing = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
  const error = (message: string): string =>
    `${JSON.stringify({ Message: message, Code: 0, Type: "error" })}\n`;

  test("add names the file, its hash and its size", async () => {
    const added = await server.ipfs("/api/v0/add?stream-channels=true&progress=false", {
      files: [["Pool%2FTok%20en.json", hello]],
    });
    expect(added).toEqual({ status: 200, text: `{"Name":"Pool/Tok en.json","Hash":"${cid}","Size":"20"}\n` });
    const both = await server.ipfs("/api/v0/add?pin=true&wrap-with-directory=false", {
      files: [
        ["a", hello],
        ["b", new Uint8Array()],
      ],
    });
    expect(both.text).toBe(
      `{"Name":"a","Hash":"${cid}","Size":"20"}\n{"Name":"b","Hash":"${empty}","Size":"6"}\n`,
    );
  });

  test("added files can be pinned and read, and no others", async () => {
    expect(await server.ipfs(`/api/v0/pin/add?recursive=true&stream=true&arg=${cid}`)).toEqual({
      status: 200,
      text: `{"Pins":["${cid}"]}\n`,
    });
    for (const arg of [cid, `/ipfs/${cid}`, `ipfs/${cid}`]) {
      const read = await server.ipfs(`/api/v0/cat?arg=${encodeURIComponent(arg)}`);
      expect(read).toEqual({ status: 200, text: "hello world\n" });
    }
    expect(await server.ipfs(`/ipfs/${cid}`, { method: "GET" })).toEqual({
      status: 200,
      text: "hello world\n",
    });
    const lost = `block was not found locally (offline): ipld: could not find ${missing}`;
    expect(await server.ipfs(`/api/v0/cat?arg=${missing}`)).toEqual({ status: 500, text: error(lost) });
    expect(await server.ipfs(`/api/v0/pin/add?arg=${missing}`)).toEqual({
      status: 500,
      text: error(`pin: ${lost}`),
    });
  });

  test.each<[string, string, number, string]>([
    ["no argument", "/api/v0/cat", 400, error('argument "ipfs-path" is required')],
    ["no hash", "/api/v0/cat?arg=x", 500, error('invalid path "x": invalid CID')],
    ["a path below a file", `/api/v0/cat?arg=${cid}/a`, 500, error(`no link named "a" under ${cid}`)],
    ["an unknown command", "/api/v0/id", 404, "404 page not found\n"],
    ["a path without the API", `/x//cat?arg=${cid}`, 404, "404 page not found\n"],
    ["no file", "/api/v0/add", 400, error("file argument 'path' is required")],
    [
      "an option that changes hashes",
      "/api/v0/add?cid-version=1",
      400,
      error("cid-version=1 is not supported: leave it out"),
    ],
  ])("a request is refused with %s", async (_, path, status, text) =>
    expect(await server.ipfs(path)).toEqual({ status, text }));

  test("version answers both methods as kubo does", async () => {
    const text = '{"Version":"0.32.1","Commit":"","Repo":"16","System":"amd64/linux","Golang":"go1.23.3"}\n';
    for (const method of ["GET", "POST"])
      expect(await server.ipfs("/api/v0/version", { method })).toEqual({ status: 200, text });
  });

  test("GET does not read through the API, and graph-node does not take the port for a gateway", async () => {
    expect((await server.ipfs(`/api/v0/cat?arg=${cid}`, { method: "GET" })).status).toBe(405);
    expect((await server.ipfs(`/ipfs/${cid}`, { method: "HEAD" })).status).toBe(404);
  });
});
