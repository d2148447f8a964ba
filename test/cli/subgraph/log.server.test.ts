import { describe, expect, it } from "vitest";
import { deployed, useApi } from "../remote/harness.js";
import { logged, texts } from "./harness.js";

const api = useApi();

describe("subgraph log --no-follow", () => {
  it("shows the last minute without debug entries", async () => {
    const all = await logged(
      await api(),
      [90, "info", "old"],
      [30, "error", "bad"],
      [20, "debug", "small"],
      [10, "info", "new"],
    );
    const { code, out, err } = await all.run("subgraph log pools/1.0.0 --no-follow");
    expect([code, err]).toEqual([0, ""]);
    expect(texts(out)).toEqual(["bad", "new"]);
    expect(out).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z error bad\n/);
    const asked = all.server.received.find(({ path }) => path.endsWith("/logs"));
    expect(asked?.query).toMatchObject({
      log_levels: "error,warn,info",
      direction: "asc",
    });
  });

  it("reads all pages in order, and no entry twice", async () => {
    const many = Array.from(
      { length: 250 },
      (_, index) => [30 - index / 10, "info", `entry ${index}`] as [number, "info", string],
    );
    const all = await logged(await api(), ...many);
    const { out } = await all.run("subgraph log pools/1.0.0 --no-follow");
    expect(texts(out)).toEqual(many.map(([, , text]) => text));
  });

  it("shows all of 250 equal entries", async () => {
    const all = await logged(
      await api(),
      ...Array.from({ length: 250 }, (): [number, "info", string] => [9, "info", "same"]),
    );
    const { out } = await all.run("subgraph log pools/1.0.0 --no-follow");
    expect(texts(out)).toHaveLength(250);
  });

  it.each([
    ["--since 2m", ["old", "bad", "careful", "new"]],
    ["--since now", [""]],
    ["--filter warn", ["bad", "careful"]],
    ["--filter debug", ["bad", "careful", "small", "new"]],
    ["--levels debug,error", ["bad", "small"]],
    ["--filter error --levels info", ["new"]],
  ])("shows what %s selects", async (options, expected) => {
    const all = await logged(
      await api(),
      [90, "info", "old"],
      [30, "error", "bad"],
      [25, "warn", "careful"],
      [20, "debug", "small"],
      [10, "info", "new"],
    );
    const { out } = await all.run(`subgraph log pools/1.0.0 --no-follow ${options}`);
    expect(texts(out)).toEqual(expected);
  });

  it.each([
    ["json", /^\{"time":"\S+","level":"info","text":"a\\nb"\}\n$/],
    ["pretty", /^\d\d:\d\d:\d\d INFO {2}a\n {15}b\n$/],
    ["text", /^\S+ info {2}a\\nb\n$/],
  ])("prints entries with --format %s", async (format, expected) => {
    const all = await logged(await api(), [10, "info", "a\nb"]);
    expect((await all.run(`subgraph log pools/1.0.0 --no-follow --format ${format}`)).out).toMatch(expected);
  });
});

describe("subgraph log", () => {
  it("says that nothing was logged recently, and how to look further back", async () => {
    const all = await logged(await api(), [3600, "info", "old"]);
    const { code, out, err } = await all.run("subgraph log pools/1.0.0 --no-follow");
    expect([code, out]).toEqual([0, ""]);
    expect(err).toBe("Nothing was logged in the last 1m. Look further back with --since 1d\n");
    expect((await all.run("subgraph log pools/1.0.0 --no-follow --since now")).err).toBe("");
  });

  it("names the versions that share the log", async () => {
    const all = await logged(await api(), [10, "info", "new"]);
    await deployed(all, "pools", "1.1.0");
    await all.run("subgraph tag create pools/1.1.0 --tag prod");
    const note = "share one deployment and its log.\n";
    const { out, err } = await all.run("subgraph log pools/1.1.0 --no-follow");
    expect([texts(out), err]).toEqual([["new"], `pools/1.1.0 and pools/1.0.0 ${note}`]);
    expect((await all.run("subgraph log pools/prod --no-follow")).err).toBe(
      `pools/prod and pools/1.0.0 ${note}`,
    );
  });

  it("--no-follow fails when a part of the log is missing", async () => {
    const many = Array.from({ length: 101 }, (): [number, "info", string] => [9, "info", "same"]);
    const all = await logged(await api(), ...many);
    const fault = { kind: "status", status: 502, headers: { "retry-after": "0" } } as const;
    let looks = 0;
    all.server.rule(() => {
      looks += 1;
      return looks === 1 ? undefined : fault;
    });
    const { code, out } = await all.run("subgraph log pools/1.0.0 --no-follow");
    expect([code, texts(out).length]).toEqual([3, 100]);
  });

  it("fails when the subgraph does not exist", async () => {
    const all = await api();
    const { code, err } = await all.run("subgraph log pools/1.0.0");
    expect(code).toBe(3);
    expect(err).toContain("(404)");
  });

  it.each([
    ["--since yesterday", "--since"],
    ["--levels fatal", "--levels"],
    ["--interval 0", "--interval"],
    ["--format xml", "Invalid values"],
    ["--filter fatal", "Invalid values"],
  ])("%s is refused", async (options, message) => {
    const all = await api();
    const { code, err } = await all.run(`subgraph log pools/1.0.0 ${options}`);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(all.arrived()).toEqual([]);
  });
});
