import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type DoubleServer, json, startDouble } from "../../support/network/double-server.js";
import { config } from "../harness.js";
import { command, home } from "../process.js";

let server: DoubleServer;
beforeEach(async () => {
  server = await startDouble(({ path }) => (path === "/bad" ? json("x".repeat(1_000_000), 500) : json({})));
});
afterEach(() => server.stop());

/** A home with a faulty configuration; the function runs a command there. */
function place() {
  const own = home();
  writeFileSync(join(own, "my-pools.json"), config({ name: "1 2" }));
  return (line: string, env: Readonly<Record<string, string>> = {}) =>
    command(line.split(" "), { cwd: own, env: { HOME: own, ...env } });
}

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

it("the command line reports each command once telemetry is enabled, without the user's data", async () => {
  const run = place();
  const quiet = await run("check my-pools.json");
  await run(`telemetry enable --url ${server.url}/events`);
  expect(server.requests).toEqual([]);
  expect(await run("check my-pools.json")).toEqual(quiet);
  expect(quiet.code).toBe(1);
  await expect.poll(() => server.requests).toHaveLength(1);
  const [{ method, path, body, headers } = { method: "", path: "", body: "", headers: {} }] = server.requests;
  expect([method, path, JSON.parse(String(body))]).toEqual([
    "POST",
    "/events",
    {
      command: "check",
      version,
      node: process.version,
      platform: process.platform,
      exit_code: 1,
      duration: expect.stringMatching(/^under /),
    },
  ]);
  expect(Object.keys(headers).sort()).toEqual(["connection", "content-length", "content-type", "host"]);
  await run("telemetry status");
  await run("check my-pools.json", { DO_NOT_TRACK: "1" });
  await run("telemetry disable");
  await run("check my-pools.json", { GRAPHLOOM_TELEMETRY_URL: server.url });
  expect(server.requests).toHaveLength(1);
});

it("a failed report neither prints anything nor fails the command", async () => {
  const run = place();
  const quiet = await run("check my-pools.json");
  await run("telemetry enable --url http://127.0.0.1:1");
  const silent = await startSilent();
  const addresses = [
    `${server.url}/bad`,
    silent.url,
    "http://127.0.0.1:1",
    "http://nowhere.invalid",
    "http://a b",
  ];
  for (const url of addresses)
    expect([url, await run("check my-pools.json", { GRAPHLOOM_TELEMETRY_URL: url })]).toEqual([url, quiet]);
  await expect.poll(() => [server.requests.length, silent.connections()]).toEqual([1, 1]);
  await silent.stop();
});

/** Accepts connections and never answers. */
async function startSilent() {
  const sockets: Socket[] = [];
  const own: Server = createServer((socket) => sockets.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(own.address() as AddressInfo).port}`,
    connections: () => sockets.length,
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        own.close(() => resolve());
      }),
  };
}
