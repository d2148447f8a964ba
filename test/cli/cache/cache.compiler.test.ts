import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { config, graphloom, type Ran, storing, workplace } from "../harness.js";
import { filesBelow } from "../process.js";

const examples = fileURLToPath(new URL("../../../examples", import.meta.url));
const named = config({ abis: { Token: { path: "abis/Token.json" } } });
const abi = JSON.stringify(JSON.parse(config()).abis.Token);

/** Creates a folder with files, and a function that runs commands in it with a cache in another folder. */
function place(files: Readonly<Record<string, string>>, caches = workplace()) {
  const cwd = workplace(files);
  const folder = join(caches, "graphloom");
  return {
    cwd,
    folder,
    caches,
    run: (line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
      graphloom(cwd, line, { env: { XDG_CACHE_HOME: caches, ...env } }),
  };
}

/** The files of all cache entries, by name. */
function entries(folder: string): ReadonlyMap<string, string> {
  const files = existsSync(folder) ? filesBelow(folder) : new Map<string, string>();
  return new Map([...files].filter(([path]) => /^[0-9a-f]{2}\//.test(path)));
}

/** The inode numbers of the entries: they change when an entry is written again. */
function inodes(folder: string): readonly number[] {
  return [...entries(folder).keys()].map((path) => statSync(join(folder, path)).ino).sort();
}

describe("results from the cache", () => {
  it("reproduces the files, output and exit code of a run without the cache", async () => {
    const line = "subgraph init --from-config subgraph.json --build --target-path out";
    const caches = workplace();
    const make = async (options: string) => {
      const { cwd, run } = place({}, caches);
      cpSync(join(examples, "uniswap-v3"), cwd, { recursive: true });
      const ran = await run(`${line}${options}`);
      return { ran, files: filesBelow(join(cwd, "out")) };
    };
    const fresh = await make(" --no-cache");
    expect(fresh.ran.code).toBe(0);
    expect(entries(join(caches, "graphloom")).size).toBe(0);
    expect(await make("")).toEqual(fresh);
    const before = inodes(join(caches, "graphloom"));
    expect(before.length).toBe(4);
    expect(await make("")).toEqual(fresh);
    expect(inodes(join(caches, "graphloom"))).toEqual(before);
  });

  it.each([
    ["an error of the compiler, with a fix", storing("event.params.value")],
    ["errors of several kinds", storing("event.params.nothing", [{ abi: "None", address: "0x12" }])],
    ["invalid JSON", '{ "version": '],
    ["warnings only", config({ name: "pools/1.0.0", abis: { Token: [], Other: JSON.parse(abi) } })],
  ])("reports from the cache what a fresh run reports: %s", async (_, text) => {
    for (const line of [
      "check c.json",
      "check c.json --format json",
      "compile c.json --out o --format github",
    ]) {
      const { run, folder } = place({ "c.json": text });
      const fresh = await run(`${line} --no-cache`);
      expect(await run(line)).toEqual(fresh);
      expect(entries(folder).size).toBeGreaterThan(0);
      const before = inodes(folder);
      expect(await run(line)).toEqual(fresh);
      expect(inodes(folder)).toEqual(before);
    }
  });

  it("prints paths relative to the current folder, even if another folder filled the cache", async () => {
    const caches = workplace();
    const files = { "in/c.json": config({ abis: { Token: { path: "none.json" } } }) };
    const first = await place(files, caches).run("check in/c.json");
    const second = await place(files, caches).run("check in/c.json");
    expect(second).toEqual(first);
    expect(second.err).toContain("leads to in/none.json");
    const other = await place({ "c.json": files["in/c.json"] }, caches).run("check c.json");
    expect(other.err).toContain("leads to none.json");
  });

  it("compiles again when an ABI changes or is deleted", async () => {
    const { cwd, run } = place({ "c.json": named, "abis/Token.json": abi });
    const first = await run("check c.json");
    writeFileSync(join(cwd, "abis/Token.json"), abi.replaceAll("Transfer", "Sent"));
    const second = await run("check c.json");
    rmSync(join(cwd, "abis/Token.json"));
    const third = await run("check c.json");
    writeFileSync(join(cwd, "abis/Token.json"), abi);
    expect([first.out, second.out].map((out) => /entities +(.*)/.exec(out)?.[1])).toEqual([
      "1: Transfer",
      "1: Sent",
    ]);
    expect(third.err).toContain("abi-missing");
    expect(await run("check c.json")).toEqual(first);
  });

  it("ignores damaged cache entries and rewrites them", async () => {
    const { run, folder } = place({ "c.json": config() });
    const line = "compile c.json --out o --build --check";
    const fresh = await run(line);
    const before = entries(folder);
    expect(before.size).toBe(3);
    for (const [path, content] of before) writeFileSync(join(folder, path), content.slice(0, -1), "latin1");
    const damaged = entries(folder);
    expect(await run(line, { GRAPHLOOM_CACHE_SIZE: "0" })).toEqual(fresh);
    expect(entries(folder)).toEqual(damaged);
    expect(await run(line)).toEqual(fresh);
    expect(entries(folder)).toEqual(before);
  });

  it("fixes a configuration whose errors come from the cache", async () => {
    const wrong = storing("event.params.value");
    const fix = async (options: string) => {
      const { cwd, run } = place({ "c.json": wrong });
      const first = await run(`check c.json${options}`);
      const dry = await run(`check c.json --fix --dry-run${options}`);
      const fixed = await run(`check c.json --fix${options}`);
      const after = await run(`check c.json${options}`);
      return { ran: [first, dry, fixed, after], text: readFileSync(join(cwd, "c.json"), "utf8") };
    };
    const fresh = await fix(" --no-cache");
    expect(fresh.ran.map(({ code }) => code)).toEqual([1, 0, 0, 0]);
    expect(await fix("")).toEqual(fresh);
  });
});

describe("the cache", () => {
  it("takes its folder from the environment, and is off when the environment names none", async () => {
    const cwd = workplace({ "c.json": config() });
    const into = async (env?: Readonly<Record<string, string>>) => {
      await graphloom(cwd, "check c.json", env ? { env } : {});
      const found = ["a", "b/graphloom", "c/.cache/graphloom"].filter(
        (folder) => entries(join(cwd, folder)).size > 0,
      );
      for (const folder of "abc") rmSync(join(cwd, folder), { recursive: true, force: true });
      return found;
    };
    const HOME = join(cwd, "c");
    const XDG_CACHE_HOME = join(cwd, "b");
    expect(await into()).toEqual([]);
    expect(await into({})).toEqual([]);
    expect(await into({ HOME })).toEqual(["c/.cache/graphloom"]);
    expect(await into({ HOME, XDG_CACHE_HOME })).toEqual(["b/graphloom"]);
    expect(await into({ HOME, XDG_CACHE_HOME: "b" })).toEqual(["c/.cache/graphloom"]);
    expect(await into({ HOME, XDG_CACHE_HOME, GRAPHLOOM_CACHE: "a" })).toEqual(["a"]);
    expect(await into({ HOME, GRAPHLOOM_CACHE_SIZE: "0" })).toEqual([]);
  });

  it("cache shows the cache, and cache clear empties it", async () => {
    const { run, folder } = place({ "c.json": config() });
    const empty = await run("cache");
    expect([empty.code, empty.out]).toEqual([0, `folder   ${folder}\nentries  0\nsize     0 KB of 256 MB\n`]);
    await run("check c.json");
    const bytes = [...entries(folder).values()].reduce((sum, { length }) => sum + length, 0);
    const { out } = await run("cache --output json", { GRAPHLOOM_CACHE_SIZE: "5" });
    expect(JSON.parse(out)).toEqual({ folder, entries: 2, bytes, limit: 5 * 1024 * 1024 });
    const cleared = await run("cache clear");
    expect([cleared.code, cleared.out]).toEqual([
      0,
      `Removed 2 entries (${Math.ceil(bytes / 1024)} KB) from ${folder}\n`,
    ]);
    expect(entries(folder).size).toBe(0);
    expect((await run("cache clear")).out).toBe(`Nothing to remove from ${folder}\n`);
  });

  it("cache fails when the cache folder is unknown or is not a folder", async () => {
    const cwd = workplace({ file: "" });
    const nowhere = await graphloom(cwd, "cache", { env: {} });
    expect([nowhere.code, nowhere.err]).toEqual([
      2,
      "Cannot determine the cache folder. Set HOME, XDG_CACHE_HOME or GRAPHLOOM_CACHE.\nSee graphloom cache --help.\n",
    ]);
    const none = await graphloom(cwd, "cache clear", { env: { GRAPHLOOM_CACHE: "file" } });
    expect([none.code, none.err]).toEqual([
      1,
      `Cannot use the cache in ${join(cwd, "file")} (ENOTDIR). Check the permissions of the folder.\n`,
    ]);
  });

  it("check works without a usable cache, and reports the problem only with --verbose", async () => {
    const { run, cwd } = place({ "c.json": config(), file: "" });
    const env = { GRAPHLOOM_CACHE: "file", GRAPHLOOM_CACHE_SIZE: "much" };
    const fresh = await run("check c.json --no-cache");
    expect(await run("check c.json", env)).toEqual(fresh);
    const told = await run("check c.json --verbose", env);
    expect([told.code, told.out, told.err.split("\n")]).toEqual([
      0,
      fresh.out,
      [
        'GRAPHLOOM_CACHE_SIZE is "much", which is not a whole number of MB; using 256',
        `the cache in ${join(cwd, "file")} cannot be used (ENOTDIR)`,
        "",
      ],
    ]);
  });

  it.each([
    "check",
    "compile",
    "run",
    "subgraph init",
    "subgraph deploy",
  ])("%s has the option --no-cache", async (name) => {
    const { out } = await graphloom(workplace(), `${name} --help`);
    expect(out.replace(/\s+/g, " ")).toContain(
      "--cache reuse earlier compilations from the cache; --no-cache",
    );
  });
});
