import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planTelemetry } from "../../../src/cli/telemetry/telemetry-plan.js";
import { usageEvent } from "../../../src/cli/telemetry/usage-event.js";
import { graphloom, workplace } from "../harness.js";

const url = "https://events.example.com/v1";

describe("a usage event", () => {
  const surroundings = {
    version: "1.2.3",
    node: "v20.19.0",
    platform: "linux",
    paths: ["subgraph", "subgraph deploy", "subgraph tag", "subgraph tag create", "secret create", "check"],
  };
  const of = (line: string, code = 0, milliseconds = 0) =>
    usageEvent({ argv: line.split(" "), code, milliseconds }, surroundings);

  it("contains exactly these six fields", () => {
    expect(of("subgraph deploy pools/1.0.0 --token gl_secret --path /home/me", 3, 1234)).toEqual({
      command: "subgraph deploy",
      version: "1.2.3",
      node: "v20.19.0",
      platform: "linux",
      exit_code: 3,
      duration: "under 10 s",
    });
  });

  it.each([
    ["subgraph tag create pools/1.0.0 -t prod", "subgraph tag create"],
    ["subgraph tags", "subgraph"],
    ["check secret.json", "check"],
    ["checks", "other"],
    ["my-secret-file.json", "other"],
    ["--token gl_secret check x", "other"],
    ["", "other"],
  ])("holds only the name of the command: %s", (line, command) => {
    expect(of(line).command).toBe(command);
  });

  it.each([
    [0, "under 1 s"],
    [999, "under 1 s"],
    [1_000, "under 10 s"],
    [59_999, "under 1 min"],
    [60_000, "under 10 min"],
    [600_000, "longer"],
  ])("turns a duration of %d ms into a class", (milliseconds, duration) => {
    expect(of("check x", 0, milliseconds).duration).toBe(duration);
  });
});

describe("the telemetry plan", () => {
  const on = { isEnabled: true, url };

  it.each([
    [{ isEnabled: false }, {}, "it is not enabled"],
    [{ isEnabled: false, url }, { GRAPHLOOM_TELEMETRY_URL: url }, "it is not enabled"],
    [on, { DO_NOT_TRACK: "1" }, "DO_NOT_TRACK is set"],
    [on, { DO_NOT_TRACK: "true", GRAPHLOOM_TELEMETRY_URL: url }, "DO_NOT_TRACK is set"],
    [{ isEnabled: true }, {}, "has no address to send to"],
    [{ isEnabled: true }, { GRAPHLOOM_TELEMETRY_URL: "" }, "has no address to send to"],
    [on, { GRAPHLOOM_TELEMETRY_URL: "nowhere" }, "GRAPHLOOM_TELEMETRY_URL does not start with http"],
    [{ isEnabled: true, url: "ftp://x" }, {}, "the stored address does not start with http"],
  ])("sends nothing with %j and %j", (settings, environment, why) => {
    expect(planTelemetry(settings, environment)).toEqual({ isOn: false, why: expect.stringContaining(why) });
  });

  it.each([
    [on, {}, url],
    [on, { DO_NOT_TRACK: "0" }, url],
    [on, { DO_NOT_TRACK: "" }, url],
    [on, { GRAPHLOOM_TELEMETRY_URL: "http://127.0.0.1:9" }, "http://127.0.0.1:9"],
    [{ isEnabled: true }, { GRAPHLOOM_TELEMETRY_URL: url }, url],
  ])("sends events with %j and %j", (settings, environment, to) => {
    expect(planTelemetry(settings, environment)).toEqual({ isOn: true, url: to });
  });
});

describe("telemetry", () => {
  const off = "Telemetry is off and nothing is sent: it is not enabled.\n";

  it("is off by default, can be enabled with an address, and can be disabled", async () => {
    const home = workplace();
    const run = async (line: string) => (await graphloom(home, line, { env: { HOME: home } })).out;
    const file = join(home, ".config/graphloom/telemetry.json");
    expect(await run("telemetry status")).toContain(off);
    const nowhere = await graphloom(home, "telemetry enable", { env: { HOME: home } });
    expect([nowhere.code, nowhere.out, nowhere.err]).toEqual([
      2,
      "",
      expect.stringContaining(
        "graphloom telemetry enable --url https://…, or set GRAPHLOOM_TELEMETRY_URL.\n",
      ),
    ]);
    const elsewhere = { HOME: workplace(), GRAPHLOOM_TELEMETRY_URL: url };
    expect((await graphloom(home, "telemetry enable", { env: elsewhere })).out).toContain("Telemetry is on");
    expect(await run(`telemetry enable --url ${url}?key=k1`)).toContain(
      `Telemetry is on: after each command, one event goes to ${url}?key=….\n`,
    );
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ enabled: true, url: `${url}?key=k1` });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run("telemetry enable")).toContain("Telemetry is on");
    expect(await run("telemetry disable")).toContain(off);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ enabled: false });
  });

  it("shows the content of an event, even when it is off", async () => {
    const home = workplace();
    const { out } = await graphloom(home, "telemetry status", { env: { HOME: home } });
    expect(JSON.parse(out.slice(out.indexOf("{")))).toEqual({
      command: "subgraph list",
      version: expect.stringMatching(/^\d/),
      node: process.version,
      platform: process.platform,
      exit_code: 0,
      duration: "under 1 s",
    });
  });

  it("is off when its file is invalid", async () => {
    const home = workplace({ ".config/graphloom/telemetry.json": '{"enabled": "yes"}' });
    const run = async (line: string) => graphloom(home, line, { env: { HOME: home } });
    expect((await run("telemetry status")).out).toContain(off);
    writeFileSync(join(home, ".config/graphloom/telemetry.json"), "no JSON");
    expect((await run("telemetry status")).out).toContain(off);
    expect((await run(`telemetry enable --url ${url}`)).out).toContain("Telemetry is on");
  });

  it("reports settings that cannot be stored", async () => {
    const home = workplace({ ".config": "" });
    const { code, err } = await graphloom(home, `telemetry enable --url ${url}`, { env: { HOME: home } });
    expect([code, err]).toEqual([
      1,
      `${join(home, ".config/graphloom/telemetry.json")} cannot be written (ENOTDIR).\n`,
    ]);
  });

  it("accepts only web addresses", async () => {
    const home = workplace();
    const { code, err } = await graphloom(home, "telemetry enable --url ftp://x", { env: { HOME: home } });
    expect(code).toBe(2);
    expect(err).toContain("--url must be a complete address");
  });
});

describe("status as JSON", () => {
  it("says whether telemetry is on, why not, and what an event contains", async () => {
    const cwd = workplace();
    const { code, out } = await graphloom(cwd, "telemetry status --output json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      enabled: false,
      why: "it is not enabled",
      event: expect.objectContaining({ command: "subgraph list", exit_code: 0 }),
    });
  });
});
