import { describe, expect, it } from "vitest";
import { deployed, useApi } from "../remote/harness.js";

const api = useApi();

const create = "subgraph webhook create pools/1.0.0 --name swaps --url https://example.com/hook --entity";

/** A project with a subgraph and the name of one of its entities. */
async function project() {
  const all = await api();
  await deployed(all, "pools", "1.0.0");
  const { out } = await all.run("subgraph webhook list-entities pools/1.0.0 --output json");
  const [entity] = JSON.parse(out) as { name: string }[];
  all.arrived();
  return { ...all, entity: entity?.name ?? "" };
}

describe("subgraph webhook create", () => {
  it("prints the secret once", async () => {
    const { run, arrived, server, entity } = await project();
    const { code, out } = await run(`${create} ${entity}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^Created the webhook swaps \(\S+\) for every change of \S+ in pools\/1\.0\.0\.\n/);
    expect(out).toMatch(/^.*Its secret, shown only once: whs_\w{26}$/m);
    expect(arrived()).toEqual(["POST /subgraphs/webhooks"]);
    expect(server.received.at(-1)?.body).toEqual({
      name: "swaps",
      subgraph_name: "pools",
      subgraph_version: "1.0.0",
      entity,
      webhook_url: "https://example.com/hook",
    });
  });

  it("--output json includes the secret", async () => {
    const { run, entity } = await project();
    const { code, out } = await run(`${create} ${entity} --output json`);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ name: "swaps", webhook_secret: expect.stringMatching(/^whs_\w{26}$/) }),
    ]);
  });

  it("--secret is sent, but not shown in the verbose log", async () => {
    const { run, server, entity } = await project();
    const { err } = await run(`${create} ${entity} --secret whs-mine --verbose`);
    expect(server.received.at(-1)?.body).toMatchObject({ secret: "whs-mine" });
    expect(err).toContain("POST ");
    expect(err).not.toContain("whs-mine");
  });

  it("--from-start requests the existing data too", async () => {
    const { run, server, entity } = await project();
    expect((await run(`${create} ${entity} --from-start`)).code).toBe(0);
    expect(server.received.at(-1)?.body).toMatchObject({ from_start: true });
  });

  it("refuses a name that already exists", async () => {
    const { run, entity } = await project();
    await run(`${create} ${entity}`);
    const { code, err } = await run(`${create} ${entity}`);
    expect(code).toBe(3);
    expect(err).toContain("(409)");
  });

  it.each([
    ["subgraph webhook create pools/1.0.0 --url https://a.b --entity e", "--name"],
    ["subgraph webhook create pools/1.0.0 --name n --entity e", "--url"],
    ["subgraph webhook create pools/1.0.0 --name n --url https://a.b", "--entity"],
    ["subgraph webhook create pools/1.0.0 --name n --url ftp://a.b --entity e", "http:// or https://"],
    [`subgraph webhook create pools/1.0.0 --name ${"n".repeat(43)} --url https://a.b --entity e`, "42"],
    ["subgraph webhook create pools --name n --url https://a.b --entity e", "Specify a version"],
  ])("rejects %s", async (line, message) => {
    const all = await api();
    const { code, err } = await all.run(line);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(all.arrived()).toEqual([]);
  });
});

describe("subgraph webhook list", () => {
  it("prints a table, or JSON, without secrets", async () => {
    const { run, server, entity } = await project();
    expect((await run("subgraph webhook list")).out).toBe("There are no webhooks yet.\n");
    await run(`${create} ${entity} --secret whs-mine`);
    const table = await run("subgraph webhook list");
    expect(table.out).toMatch(
      /^WEBHOOK +SUBGRAPH +ENTITY +URL\nswaps +pools\/1\.0\.0 +\S+ +https:\/\/example\.com\/hook\n$/,
    );
    const json = await run("subgraph webhook list --output json");
    expect(JSON.parse(json.out)).toMatchObject([
      { id: (await server.webhooks())[0]?.id, name: "swaps", entity },
    ]);
    expect(table.out + json.out).not.toContain("whs");
  });
});

describe("subgraph webhook list-entities", () => {
  it("lists the entities that a webhook can be created for", async () => {
    const { run, arrived, entity } = await project();
    const { code, out } = await run("subgraph webhook list-entities pools/1.0.0");
    expect(code).toBe(0);
    expect(out).toMatch(/^ENTITY +ROWS +COLUMNS\n/);
    expect(out).toContain(entity);
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(arrived()).toEqual(["GET /subgraphs/pools/1.0.0/entities"]);
  });
});

describe("subgraph webhook delete", () => {
  it.each([
    ["swaps --force", ""],
    ["swaps -f", ""],
    ["--name swaps --force", "--name is deprecated"],
  ])("deletes a webhook with %s", async (line, said) => {
    const { run, arrived, server, entity } = await project();
    await run(`${create} ${entity}`);
    arrived();
    const { code, out, err } = await run(`subgraph webhook delete ${line}`);
    expect([code, out]).toEqual([0, "Deleted the webhook swaps.\n"]);
    expect(err).toContain(said);
    expect(arrived()).toEqual(["DELETE /subgraphs/webhooks/swaps"]);
    expect(await server.webhooks()).toHaveLength(0);
  });

  it.each([
    ["subgraph webhook delete", "Specify a webhook"],
    ["subgraph webhook delete a --name b --force", "Two different names"],
    ["subgraph webhook delete a", "--force"],
  ])("%s is refused", async (line, message) => {
    const all = await api();
    const { code, err } = await all.run(line);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(all.arrived()).toEqual([]);
  });
});
