import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { sourceShapes } from "../../../src/pipelines/definition/shapes.js";
import { allSinks } from "../../../src/pipelines/sinks/all-sinks.js";

const src = "src";
const sinks = "src/pipelines/sinks";
const names = allSinks.map(({ name }) => name);

it("every folder with a sink type is in the list once, and names are unique", async () => {
  const folders = readdirSync(sinks).filter((name) => existsSync(join(sinks, name, "sink-type.ts")));
  const loaded = await Promise.all(
    folders.map(async (name) =>
      Object.values(
        (await import(`../../../src/pipelines/sinks/${name}/sink-type.ts`)) as Record<string, unknown>,
      ),
    ),
  );
  expect(loaded.map((exported) => exported.length)).toEqual(folders.map(() => 1));
  expect(new Set(loaded.flat())).toEqual(new Set(allSinks));
  expect(allSinks.length).toBe(folders.length);
  const called = allSinks.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(called).toEqual([...new Set(called)]);
});

/**
 * What makes a file a second list of sink types: it compares a type with a name, or has several of the names in quotes.
 */
function namedIn(text: string): readonly string[] {
  const either = names.join("|");
  // A part of a form has a type, and so has a lookup.
  const compared = new RegExp(
    `(?<!part\\.|lookup\\.)\\btype\\s*[!=]==\\s*"(${either})"|case "(${either})":`,
    "g",
  );
  const others = text.replaceAll(/\blookup\.type\s*[!=]==\s*"\w+"/g, "");
  const found = new Set([...others.matchAll(new RegExp(`"(${either})"`, "g"))].map(([, name = ""]) => name));
  // "file", "print" and "postgres" are also other things, and some types of sinks are types of sources, too.
  const one = [...text.matchAll(compared)].map((match) => match[1] ?? match[2] ?? "");
  return found.size > 1 ? [...found] : one.filter((name) => !Object.hasOwn(sourceShapes, name));
}

it("no other file lists sink types or asks for the type of a sink by its name", () => {
  const files = readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(src, join(entry.parentPath, entry.name)));
  const found = files.filter((file) => {
    const own = /^pipelines\/sinks\/[^/]+\//.test(file);
    // Flink has connectors for some of the sinks, and lookups are in some of their databases; a new sink is none of them.
    const isOther =
      /^pipelines\/((host\/)?flink|transforms\/row-lookup)\/|^pipelines\/plan\/plan-lookups\.ts$/;
    return /^(api|cli|pipelines|platform)\//.test(file) && !own && !isOther.test(file);
  });
  expect(found.length).toBeGreaterThan(500);
  const lists = found.flatMap((file) => {
    const named = namedIn(readFileSync(join(src, file), "utf8"));
    return named.length > 0 ? [`${file}: ${named.join(", ")}`] : [];
  });
  expect(lists).toEqual([]);
});

it("a second list is recognised", () => {
  expect(namedIn(`new Set(["file", "s3_sink"])`)).toEqual(["file", "s3_sink"]);
  expect(namedIn(`if (definition.type === "webhook") return;`)).toEqual(["webhook"]);
  expect(namedIn(`{ type: "blackhole", from }`)).toEqual([]);
});

it("a sink type is described without loading what writes it", () => {
  const statics = /^(?:import|export) (?!type )[^;]*? from "(?<from>[^"]+)"/gms;
  for (const name of readdirSync(sinks)) {
    const path = join(sinks, name, "sink-type.ts");
    if (!existsSync(path)) continue;
    const own = [...readFileSync(path, "utf8").matchAll(statics)].map((match) => match.groups?.from ?? "");
    const allowed = /^\.\.\/\.\.\/(definition|plan|\.\.\/base)\/|^\.\.\/sink-type\.js$|^\.\/shape\.js$/;
    expect(
      own.filter((from) => !allowed.test(from)),
      path,
    ).toEqual([]);
  }
});

it("every sink that keeps positions has tests with schedules, which the campaign finds by their tag", async () => {
  const script = readFileSync("scripts/campaign-flows.mjs", "utf8");
  const listed = script.matchAll(/^ {2}(\w+): "(test\/.+)",$/gm);
  const files = new Map([...listed].map(([, name = "", file = ""]) => [name, file]));
  const kept: string[] = [];
  for (const { name, load } of allSinks) if ((await load()).audit) kept.push(name);
  expect([...files.keys()].sort()).toEqual([...kept, "lookups", "subgraph_entity", "topic"].sort());
  for (const [name, file] of files) expect(readFileSync(file, "utf8"), name).toMatch(/\btags: "law"/);
});
