import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { buildSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { writtenProject } from "../../support/compiler/written-project.js";
import { config, graphloom, workplace } from "../harness.js";

const run = (cwd: string, line: string): ReturnType<typeof graphloom> =>
  graphloom(cwd, line, { env: sharedCache });

describe("schema", () => {
  it("writes the API to a file, and overwrites only its own files", async () => {
    const cwd = workplace({ "subgraph.json": config(), "mine.graphql": "type Mine { id: ID! }" });
    for (const [option, file] of [
      ["--api", "api.graphql"],
      ["--introspection", "api.json"],
    ] as const) {
      const printed = await run(cwd, `schema ${option}`);
      expect([printed.code, printed.err]).toEqual([0, ""]);
      for (const time of ["first", "second"]) {
        const { code, out, err } = await run(cwd, `schema ${option} --output ${file}`);
        expect([code, out, err], time).toEqual([0, "", ""]);
      }
      expect(readFileSync(join(cwd, file), "utf8")).toBe(printed.out);
    }
    expect(buildSchema(readFileSync(join(cwd, "api.graphql"), "utf8")).getQueryType()).toBeDefined();
    const refused = await run(cwd, "schema --api --output mine.graphql");
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("mine.graphql cannot be written: a file with this name already exists");
    expect(readFileSync(join(cwd, "mine.graphql"), "utf8")).toBe("type Mine { id: ID! }");
  });

  it("prints one schema for builds of several chains, and refuses builds whose schemas differ", async () => {
    const cwd = workplace(writtenProject());
    expect((await run(cwd, "build . --output-dir built")).code).toBe(0);
    const built = readdirSync(join(cwd, "built"), { recursive: true, withFileTypes: true });
    const files = built
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(join(cwd, "built").length + 1), readFileSync(path)] as const);
    const zipOf = (change: (path: string, bytes: Buffer) => Buffer): Uint8Array =>
      zipSync({
        ...Object.fromEntries(files.map(([path, bytes]) => [`one/${path}`, bytes])),
        ...Object.fromEntries(files.map(([path, bytes]) => [`two/${path}`, change(path, bytes)])),
      });
    const more = (path: string, bytes: Buffer): Buffer =>
      path.endsWith(".graphql") ? Buffer.concat([bytes, Buffer.from("# more\n")]) : bytes;
    const zips = workplace({ "same.zip": zipOf((_, bytes) => bytes), "other.zip": zipOf(more) });
    const same = await run(zips, "schema same.zip");
    expect([same.code, same.err]).toEqual([0, ""]);
    expect(same.out).toContain("type Note");
    const other = await run(zips, "schema other.zip");
    expect([other.code, other.out]).toEqual([2, ""]);
    expect(other.err).toContain("have different schemas. Name the folder of one of them.");
    rmSync(zips, { recursive: true });
  });

  it("reads the manifest and the schema of a hand-written subgraph, and nothing else", async () => {
    const project = writtenProject();
    const schema = project["schema.graphql"] ?? "";
    const manifest = project["subgraph.yaml"] ?? "";
    const networks = { sepolia: { Counter: { address: `0x${"0".repeat(38)}b2` } } };
    const cwd = workplace({
      "subgraph.yaml": manifest,
      "schema.graphql": schema,
      "networks.json": JSON.stringify(networks),
      "refused/subgraph.yaml": manifest,
      "refused/schema.graphql": `${schema}type Other @entity(immutable: true) { id: Bytes!, none: Nothing }`,
      "without/subgraph.yaml": "dataSources: []",
    });
    const { code, out, err } = await run(cwd, "schema .");
    expect([code, out, err]).toEqual([0, schema, ""]);
    expect((await run(cwd, "schema --network sepolia")).out).toBe(schema);
    for (const [line, why] of [
      ["schema . --network holesky", 'has no network "holesky"'],
      ["schema refused", "Nothing"],
      ["schema without", "schema"],
    ] as const) {
      const refused = await run(cwd, line);
      expect([refused.code, refused.out]).toEqual([1, ""]);
      expect(refused.err).toContain(why);
    }
  });

  it.each([
    ["schema --output own.graphql", "--output is for the API's schema. Add --api or --introspection"],
    ["schema --api --output=", "--output: the name of the file is empty."],
    ["schema --api --network sepolia", "--network is for a subgraph.yaml with mappings"],
    ["schema missing.json --api", "missing.json"],
  ])("refuses %s", async (line, why) => {
    const cwd = workplace({ "subgraph.json": config() });
    const { code, out, err } = await run(cwd, line);
    expect(code).not.toBe(0);
    expect(out).toBe("");
    expect(err).toContain(why);
    expect(readdirSync(cwd)).toEqual(["subgraph.json"]);
  });
});
