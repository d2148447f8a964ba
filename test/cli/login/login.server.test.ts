import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow } from "../process.js";
import { token, useApi } from "../remote/harness.js";

const api = useApi();

const stored = ".config/graphloom/credentials.json";
/** No token in the environment, so the stored one is used. */
const loggedIn = { env: { GRAPHLOOM_TOKEN: "", GRAPHLOOM_API_URL: "" } };

describe("login", () => {
  it.each([
    ["a piped token", "login --no-browser", true],
    ["a token on the command line", "login --token", false],
  ])("with %s stores it for its API, which later commands use", async (_, line, isPiped) => {
    const all = await api();
    const env = { GRAPHLOOM_TOKEN: "" };
    const { code, out, err } = isPiped
      ? await all.run(line, { stdin: `${all.server.token}\n`, env })
      : await all.run(`${line} ${all.server.token}`, { env });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`Logged in to ${all.server.url}.`);
    expect(statSync(join(all.home, stored)).mode & 0o777).toBe(0o600);
    expect((await all.run("subgraph list", loggedIn)).code).toBe(0);
    expect(all.server.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${all.server.token}`,
      `Bearer ${all.server.token}`,
    ]);
  });

  it("does not store a token that the API rejects", async () => {
    const all = await api();
    const { code, err } = await all.run("login --no-browser", {
      stdin: "wrong-token",
      env: { GRAPHLOOM_TOKEN: "" },
    });
    expect(code).toBe(3);
    expect(err).toContain("(401)");
    expect(err).toContain("Nothing was stored.");
    expect([...filesBelow(all.home).keys()]).toEqual([]);
  });

  it("sends a stored token only to its own API", async () => {
    const [mine, other] = [await api(), await api()];
    await mine.run("login --no-browser", { stdin: mine.server.token, env: { GRAPHLOOM_TOKEN: "" } });
    const { code, err } = await mine.run(`subgraph list --api-url ${other.server.url}`, loggedIn);
    expect(code).toBe(2);
    expect(err).toContain(`No token for ${other.server.url}`);
    expect(other.server.received).toEqual([]);
  });

  it("says which login is meant if the same server has another one", async () => {
    const all = await api();
    await all.run("login --no-browser", { stdin: all.server.token, env: { GRAPHLOOM_TOKEN: "" } });
    all.arrived();
    const { origin } = new URL(all.server.url);
    const { code, err } = await all.run(`subgraph list --api-url ${origin}`, loggedIn);
    expect([code, all.arrived()]).toEqual([2, []]);
    expect(err).toContain(
      `No token for ${origin}. You are logged in to ${all.server.url}: pass --api-url ${all.server.url}, or leave the option out.`,
    );
  });

  it.each([
    ["login tok-5f0c1e-secret", "graphloom login takes no arguments"],
    ["login --no-browser", "No token: "],
  ])("explains a wrong command line without showing the token: %s", async (line, message) => {
    const all = await api();
    const { code, out, err } = await all.run(line, { env: { GRAPHLOOM_TOKEN: "" } });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).not.toContain(token);
  });

  it.each([
    ["", "No API to talk to"],
    ["ftp://a.b", "http:// or https://"],
    ["https://user:tok-5f0c1e-secret@a.b", "contains a user name or password"],
  ])("explains an unusable API address without showing a token: %j", async (url, message) => {
    const all = await api();
    const { code, err } = await all.run("subgraph list", { env: { GRAPHLOOM_API_URL: url } });
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).not.toContain(token);
  });
});

describe("logout", () => {
  it("deletes everything that login stored", async () => {
    const all = await api();
    await all.run("login --no-browser", { stdin: all.server.token, env: { GRAPHLOOM_TOKEN: "" } });
    const { code, out } = await all.run("logout", loggedIn);
    expect(code).toBe(0);
    expect(out).toContain(`Logged out of ${all.server.url}`);
    expect([...filesBelow(all.home).keys()]).toEqual([]);
    expect((await all.run("subgraph list", loggedIn)).code).toBe(2);
    expect((await all.run("logout", loggedIn)).out).toBe("You are not logged in.\n");
  });

  it("keeps the tokens of other APIs", async () => {
    const [mine, other] = [await api(), await api()];
    const env = { GRAPHLOOM_TOKEN: "" };
    for (const { server } of [other, mine])
      await mine.run(`login --no-browser --api-url ${server.url}`, { stdin: server.token, env });
    await mine.run("logout", loggedIn);
    expect((await mine.run(`subgraph list --api-url ${other.server.url}`, loggedIn)).code).toBe(0);
  });
});

describe("a token", () => {
  it("comes from --token first, then the environment, then the store", async () => {
    const all = await api();
    await all.run("login --no-browser", { stdin: all.server.token, env: { GRAPHLOOM_TOKEN: "" } });
    await all.run("subgraph list", { env: { GRAPHLOOM_TOKEN: "from-environment" } });
    await all.run("subgraph list --token from-line", { env: { GRAPHLOOM_TOKEN: "from-environment" } });
    expect(all.server.received.slice(-2).map(({ headers }) => headers.authorization)).toEqual([
      "Bearer from-environment",
      "Bearer from-line",
    ]);
  });

  it("is rejected without being shown if it contains illegal characters", async () => {
    const all = await api();
    const { code, err } = await all.run("subgraph list", { env: { GRAPHLOOM_TOKEN: "tok-5f0c1e\r\nx: y" } });
    expect(code).toBe(2);
    expect(err).not.toContain("tok-5f0c1e");
    expect(all.server.received).toEqual([]);
  });

  it("is never printed or written to a file, even when something fails", async () => {
    const all = await api();
    writeFileSync(join(all.home, "config.json"), "{}");
    const hostile = JSON.stringify({
      title: `bad token ${all.server.token}`,
      detail: `Bearer ${all.server.token}`,
      type: `http://x/${all.server.token}`,
    });
    const faults = [
      { kind: "status", status: 401, text: hostile, headers: { "content-type": "application/problem+json" } },
      {
        kind: "status",
        status: 500,
        text: `<html>${all.server.token}</html>`,
        headers: { "retry-after": "0" },
      },
      { kind: "status", status: 302, headers: { location: `http://127.0.0.1:1/?token=${all.server.token}` } },
      { kind: "text", text: `{"token": "${all.server.token}"` },
      { kind: "cut" },
    ] as const;
    const printed: string[] = [];
    for (const fault of faults) {
      all.server.rule(() => fault);
      for (const line of ["subgraph list --verbose", "subgraph delete pools/1.0.0 --force --verbose"]) {
        const { code, out, err } = await all.run(line);
        // For a deletion, only the status of the answer matters.
        expect(code).toBe(fault.kind === "text" && line.includes("delete") ? 0 : 3);
        printed.push(out, err);
      }
    }
    expect(printed.join("")).not.toContain(token);
    expect([...filesBelow(all.home).values()].join("")).not.toContain(token);
  });
});
