import { describe, expect, it } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { freshStatus } from "../../support/server/hosting-double.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import { deployForm } from "../../support/server/platform-server.js";
import { deployed, useApi } from "../remote/harness.js";

const api = useApi();

/** A block fails and is retried. */
const retried: HostedStatus = {
  ...freshStatus,
  health: "failed",
  fatalError: {
    message: "no file (tried 3 times)",
    block: 7,
    isRetried: true,
    failingSince: Date.UTC(2026, 0, 2, 3, 4, 5),
    attempts: 3,
  },
};

describe("subgraph list", () => {
  it("shows everything about each version and tag", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0", "1.1.0");
    await all.run("subgraph tag create pools/1.1.0 --tag prod");
    const { code, out, err } = await all.run("subgraph list pools");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("pools/1.0.0  mainnet, active, healthy");
    expect(out).toContain("pools/prod -> 1.1.0");
    expect(out).toMatch(/deployment {2}Qm\w{44}, \d{4}-/);
    expect(out).toMatch(/public {6}http:\S+\/subgraphs\/pools\/1\.0\.0\/gn/);
    expect(out).toMatch(/private {5}disabled/);
    expect(out).toMatch(/^ {2}tags {8}prod$/m);
    expect(all.arrived().slice(-1)).toEqual(["GET /subgraphs/pools"]);
  });

  it("shows the whole project as a table, failed ones first, with their errors", async () => {
    const all = await api();
    await deployed(all, "names", "1.0.0");
    for (const [index, version] of ["1.0.0", "1.1.0", "1.2.0"].entries())
      await fetch(`${all.server.url}/subgraphs/pools/deployments/${version}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${all.server.token}` },
        body: deployForm(sampleBundle({ startBlock: 200 + index })),
      });
    const states = { "1.0.0": "healthy", "1.1.0": "unhealthy", "1.2.0": "failed" } as const;
    for (const [version, health] of Object.entries(states)) {
      const error = health === "failed" && { fatalError: { message: "divide by zero", block: 7 } };
      await all.server.status("pools", version, { ...freshStatus, health, ...error });
    }
    const { out } = await all.run("subgraph list");
    const [head, ...rows] = out.trimEnd().split("\n");
    expect(head).toMatch(/^SUBGRAPH +CHAIN +STATUS +HEALTH +INDEXED +TAGS +ERROR$/);
    expect(rows.map((row) => row.split(" ")[0])).toEqual([
      "pools/1.2.0",
      "pools/1.1.0",
      "names/1.0.0",
      "pools/1.0.0",
    ]);
    expect(rows[0]).toMatch(/divide by zero$/);
    expect(rows[1]).toMatch(/-$/);
    expect((await all.run("subgraph list --summary")).out).toBe(out);
  });

  it("prints the lines that scripts for Goldsky search for", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    await all.run("subgraph tag create pools/1.0.0 --tag prod");
    await all.server.status("pools", "1.0.0", { ...freshStatus, health: "healthy" });
    const { out } = await all.run("subgraph list --output lines");
    expect(out.match(/^\* .*$/gm)).toEqual(["* pools/1.0.0", "* pools/prod -> pools/1.0.0"]);
    expect(out).toMatch(/^ {2}GraphQL API: http:\S+\/subgraphs\/pools\/1\.0\.0\/gn$/m);
    expect(out).toMatch(/^ {2}Status: healthy \(Active\)$/m);
    expect(out).toMatch(/^ {2}Synced: \d+%$/m);
    expect((await all.run("subgraph list pools/1.0.0 --output lines")).out.match(/^\* /gm)).toHaveLength(1);
    await all.run("subgraph pause pools/1.0.0");
    expect((await all.run("subgraph list pools/1.0.0 --output lines")).out).toContain("(Paused)");
  });

  it("fetches all pages", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0");
    all.server.rule(() => ({ kind: "query", query: { page_size: "2" } }));
    const { out } = await all.run("subgraph list --output json");
    expect(JSON.parse(out).map(({ version }: { version: string }) => version)).toHaveLength(5);
    expect(all.arrived()).toEqual(["GET /subgraphs", "GET /subgraphs", "GET /subgraphs"]);
  });

  it.each([
    ["pools", ["pools/1.0.0", "pools/1.1.0", "pools/prod"], "GET /subgraphs/pools"],
    ["pools/1.1.0", ["pools/1.1.0"], "GET /subgraphs/pools/1.1.0"],
    ["pools/prod", ["pools/prod"], "GET /subgraphs/pools/prod"],
    ["pools --filter tags", ["pools/prod"], "GET /subgraphs/pools"],
    ["pools --filter deployments", ["pools/1.0.0", "pools/1.1.0"], "GET /subgraphs/pools"],
  ])("lists only what was asked for: %s", async (line, names, request) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0", "1.1.0");
    await deployed(all, "other", "1.0.0");
    await all.run("subgraph tag create pools/1.1.0 --tag prod");
    all.arrived();
    const { out } = await all.run(`subgraph list ${line} --output json`);
    const listed = JSON.parse(out) as { name: string; version: string }[];
    expect(listed.map(({ name, version }) => `${name}/${version}`)).toEqual(names);
    expect(all.arrived()).toEqual([request]);
  });

  it("--summary prints one uncut line each, with the tags, for a program", async () => {
    const all = await api();
    await deployed(all, "pools-on-a-chain-with-a-rather-long-name", "1.0.0-with-a-long-label");
    await all.run(
      "subgraph tag create pools-on-a-chain-with-a-rather-long-name/1.0.0-with-a-long-label --tag prod,next",
    );
    const { out } = await all.run("subgraph list --summary");
    const [head, row, ...tags] = out.trimEnd().split("\n");
    expect(head).toMatch(/^SUBGRAPH +CHAIN +STATUS +HEALTH +INDEXED +TAGS$/);
    expect(row).toMatch(
      /^pools-on-a-chain-with-a-rather-long-name\/1.0.0-with-a-long-label +mainnet +active +healthy +\S.* +(next, prod|prod, next)$/,
    );
    expect(tags).toHaveLength(2);
    const line = "subgraph list pools-on-a-chain-with-a-rather-long-name/1.0.0-with-a-long-label --summary";
    expect((await all.run(line)).out.trimEnd()).toMatch(/(next, prod|prod, next)$/);
  });

  it.each([
    ["failed", { fatalError: { message: "divide by zero" } }, "failed, block 60"],
    ["unhealthy", {}, "unhealthy, block 60"],
    ["healthy", {}, "healthy, synced"],
  ] as const)("shows the state of a synced deployment that is %s", async (health, more, said) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    const status = { ...freshStatus, ...more, health, isSynced: true, headBlock: 60, chainHeadBlock: 110 };
    await all.server.status("pools", "1.0.0", { ...status, startBlock: 1 });
    const { out } = await all.run("subgraph list pools");
    expect(out).toContain(`active, ${said}\n`);
    expect((await all.run("subgraph list --summary")).out).toContain(said.split(", ")[1]);
  });

  it("marks a retried deployment as failing; the JSON says since when and how often", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    await all.server.status("pools", "1.0.0", retried);
    expect((await all.run("subgraph list pools")).out).toMatch(
      /^ {2}failing {5}at block 7: no file \(tried 3 times\)$/m,
    );
    const [shown] = JSON.parse((await all.run("subgraph list --output json")).out);
    expect(shown.deployments).toMatchObject([{ failing_since: "2026-01-02T03:04:05.000Z", attempts: 3 }]);
  });

  it("says that there are no subgraphs, or that one does not exist", async () => {
    const all = await api();
    expect(await all.run("subgraph list")).toEqual({
      code: 0,
      out: "There are no subgraphs yet.\n",
      err: "",
    });
    const missing = await all.run("subgraph list pools/1.0.0");
    expect([missing.code, missing.out]).toEqual([3, ""]);
    expect(missing.err).toContain("Subgraph not found (404)");
    expect(missing.err).toContain("/api/errors/subgraph-not-found");
  });
});

describe("subgraph delete", () => {
  it("refuses without --force when it cannot ask", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    const { code, err } = await all.run("subgraph delete pools/1.0.0", { stdin: "y\n" });
    expect(code).toBe(2);
    expect(err).toContain("--force");
    expect(all.arrived()).toEqual([]);
  });

  it.each(["--force", "-f"])("deletes without asking with %s", async (force) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    expect(await all.run(`subgraph delete pools/1.0.0 ${force}`)).toMatchObject({
      code: 0,
      out: "Deleted pools/1.0.0.\n",
    });
    expect(all.arrived()).toEqual([
      "GET /subgraphs/pools/1.0.0",
      "DELETE /subgraphs/pools/deployments/1.0.0",
    ]);
    expect(await all.server.versions()).toHaveLength(0);
  });

  it("names the tags that still refer to the version", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    await all.run("subgraph tag create pools/1.0.0 --tag prod");
    const { code, err } = await all.run("subgraph delete pools/1.0.0 --force");
    expect(code).toBe(3);
    expect(err).toContain("(422)");
    expect(err).toContain("prod");
  });
});

describe("subgraph tag", () => {
  it.each(["--tag", "-t"])("create %s points a tag to a version, and moves it", async (option) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0", "1.1.0");
    const first = await all.run(`subgraph tag create pools/1.0.0 ${option} prod`);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/^pools\/prod points to pools\/1\.0\.0: http\S+\/pools\/prod\/gn\n$/);
    await all.run(`subgraph tag create pools/1.1.0 ${option} prod`);
    expect(all.arrived()).toEqual(["PUT /subgraphs/pools/tags/prod", "PUT /subgraphs/pools/tags/prod"]);
    expect(all.server.received.at(-1)?.body).toEqual({ target_version: "1.1.0" });
    expect(await all.server.tags()).toMatchObject([{ name: "pools", version: "prod", target: "1.1.0" }]);
  });

  it("create prints all tags in one JSON document", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    const { code, out } = await all.run("subgraph tag create pools/1.0.0 --tag a,b --output json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject(
      ["a", "b"].map((tag) => ({
        tag: { target_version: "1.0.0" },
        graphql_endpoint: expect.stringMatching(new RegExp(`/pools/${tag}/gn$`)),
      })),
    );
  });

  it("create accepts several tags", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    await all.run("subgraph tag create pools/1.0.0 --tag a,b,a");
    expect((await all.server.tags()).map(({ version }) => version)).toEqual(["a", "b"]);
  });

  it.each(["--force", "-f"])("delete %s keeps the version", async (force) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    await all.run("subgraph tag create pools/1.0.0 --tag prod");
    all.arrived();
    const { code, out } = await all.run(`subgraph tag delete pools/1.0.0 -t prod ${force}`);
    expect([code, out]).toEqual([0, "Deleted the tag pools/prod.\n"]);
    expect(all.arrived()).toEqual(["GET /subgraphs/pools/prod", "DELETE /subgraphs/pools/tags/prod"]);
    expect([(await all.server.tags()).length, (await all.server.versions()).length]).toEqual([0, 1]);
  });

  it("delete keeps the tag of another version, and asks first", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0", "1.1.0");
    await all.run("subgraph tag create pools/1.0.0 --tag prod");
    const wrong = await all.run("subgraph tag delete pools/1.1.0 --tag prod --force");
    expect([wrong.code, wrong.err]).toEqual([
      2,
      "pools/prod points to pools/1.0.0, not to pools/1.1.0. To delete it, name pools/1.0.0.\n" +
        "See graphloom subgraph tag delete --help.\n",
    ]);
    const unasked = await all.run("subgraph tag delete pools/1.0.0 --tag prod");
    expect(unasked.code).toBe(2);
    expect(unasked.err).toContain("--force");
    expect(await all.server.tags()).toHaveLength(1);
  });

  it.each([
    ["subgraph tag create pools/1.0.0", "specify a tag"],
    ["subgraph tag create pools/1.0.0 --tag ../x", "is not a valid tag"],
    ["subgraph tag create pools --tag prod", "Specify a version"],
    ["subgraph tag create pools/1.0.0 --tag ,", "at least one"],
  ])("rejects %s", async (line, message) => {
    const all = await api();
    const { code, err } = await all.run(line);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(all.arrived()).toEqual([]);
  });
});

describe("subgraph pause and start", () => {
  it("pause stops indexing, and start resumes it", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    expect((await all.run("subgraph pause pools/1.0.0")).out).toContain("Paused pools/1.0.0.");
    expect((await all.server.version("pools", "1.0.0")).isPaused).toBe(true);
    expect(await all.run("subgraph start pools/1.0.0")).toMatchObject({
      code: 0,
      out: "Started pools/1.0.0.\n",
    });
    expect((await all.server.version("pools", "1.0.0")).isPaused).toBe(false);
    expect(all.arrived().filter((line) => !line.startsWith("GET"))).toEqual([
      "PUT /subgraphs/pools/1.0.0/pause",
      "PUT /subgraphs/pools/1.0.0/resume",
    ]);
  });

  it("name the versions that share the deployment, and the ones that keep it indexing", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0", "1.1.0");
    await deployed(all, "copy", "1.0.0");
    await all.run("subgraph tag create pools/1.1.0 --tag prod");
    const names = "pools/1.0.0, copy/1.0.0 and pools/1.1.0 share one deployment";
    expect((await all.run("subgraph pause pools/1.0.0")).out).toContain(
      `${names}, which keeps indexing until copy/1.0.0 and pools/1.1.0 are paused too.\n`,
    );
    await all.run("subgraph pause copy/1.0.0");
    expect((await all.run("subgraph pause pools/1.0.0")).out).toContain(
      `${names}, which keeps indexing until pools/1.1.0 is paused too.\n`,
    );
    await all.run("subgraph pause pools/1.1.0");
    expect((await all.run("subgraph pause pools/1.0.0")).out).toContain(`${names}.\n`);
    expect((await all.run("subgraph start pools/1.0.0")).out).toBe(`Started pools/1.0.0.\n${names}.\n`);
  });

  it("work when the server refuses to list subgraphs", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0", "1.1.0");
    all.server.rule((method) => (method === "GET" ? { kind: "status", status: 403, text: "{}" } : undefined));
    expect(await all.run("subgraph pause pools/1.0.0")).toMatchObject({ code: 0, err: "" });
    expect(await all.run("subgraph start pools/1.0.0")).toMatchObject({
      code: 0,
      out: "Started pools/1.0.0.\n",
    });
  });

  it("start says what to do about a version that has failed", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    const fatalError = { message: "it aborted", block: 7 };
    await all.server.status("pools", "1.0.0", { ...freshStatus, health: "failed", fatalError });
    const { code, out, err } = await all.run("subgraph start pools/1.0.0");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("pools/1.0.0 has failed and is not indexing: at block 7: it aborted\n");
    expect(err).toContain("deploy a new version: graphloom subgraph deploy pools/<version>\n");
  });

  it("start reports the failing block of a version that is retried", async () => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    await all.server.status("pools", "1.0.0", retried);
    expect(await all.run("subgraph start pools/1.0.0")).toMatchObject({
      code: 0,
      out: "Started pools/1.0.0. A block fails: at block 7: no file (tried 3 times)\n",
      err: "",
    });
  });
});

describe("subgraph update", () => {
  it.each([
    ["--public-endpoint disabled", { public_endpoint_enabled: false }],
    ["--private-endpoint enabled", { private_endpoint_enabled: true }],
    ["--description pools", { description: "pools" }],
    [
      "--public-endpoint enabled --private-endpoint disabled",
      { public_endpoint_enabled: true, private_endpoint_enabled: false },
    ],
  ])("sends the change of %s", async (line, body) => {
    const all = await api();
    await deployed(all, "pools", "1.0.0");
    const { code, out } = await all.run(`subgraph update pools/1.0.0 ${line}`);
    expect(code).toBe(0);
    expect(out).toContain("Updated pools/1.0.0.");
    expect(all.arrived()).toEqual(["PATCH /subgraphs/pools/1.0.0"]);
    expect(all.server.received.at(-1)?.body).toEqual(body);
  });

  it.each([
    ["", "Specify what to change"],
    ["--public-endpoint on", "Invalid values"],
    [`--description ${"x".repeat(501)}`, "501 characters"],
  ])("%s is refused", async (line, message) => {
    const all = await api();
    const { code, err } = await all.run(`subgraph update pools/1.0.0 ${line}`);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(all.arrived()).toEqual([]);
  });
});
