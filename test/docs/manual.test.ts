import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { anchorOf } from "../../src/platform/pages/manual/render-markdown.js";
import { definedCommands } from "../cli/defined-commands.js";
import { agentPages, linksOf, pages, proseOf, root, sentencesOf } from "../support/docs/pages.js";

const all = pages();
const everything = all.map(({ text }) => text).join("\n");

/** Options that yargs adds, those of all commands about a server, and options of npm and curl. */
const common = [
  "--help",
  "--version",
  "--no-color",
  "--api-url",
  "--project",
  "--token",
  "--verbose",
  "--save-dev",
  "--header",
  "--data",
];

const options = new Set(
  [...definedCommands(commands).values()]
    .flatMap(({ options }) => Object.keys(options))
    .map((name) => `--${name}`),
);

/** Whether a named option is one of ours: in its defined form, with hyphens, or negated. */
function isDefined(name: string): boolean {
  const bare = name.replace(/^--no-/, "--");
  const camel = bare.replace(/(?<=[a-z])-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [name, bare, camel].some((each) => options.has(each)) || common.includes(name);
}

function anchorsOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

describe.each([...all, ...agentPages()])("page $path", ({ path, text }) => {
  it("has at most 300 lines", () => {
    expect(text.split("\n").length - 1).toBeLessThanOrEqual(path === "README.md" ? 150 : 300);
  });

  it("has no sentence of more than 30 words", () => {
    const sentences = sentencesOf(text);
    expect(sentences.length).toBeGreaterThan(5);
    expect(sentences.filter((sentence) => sentence.split(" ").length > 30)).toEqual([]);
  });

  it("has no broken link", () => {
    const links = linksOf(text);
    const broken = links.filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(join(root, target), "utf8")).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it("names only options that graphloom has", () => {
    const code = [...text.matchAll(/`[^`\n]+`|^```.*?^```$/gms)].map(([found]) => found).join("\n");
    // These are programs of Kafka and of The Graph.
    const own = code.replaceAll(/^`?(?:kafka-acls\.sh|graph) (?:.*\\\n)*.*$/gm, "");
    const named = [...own.matchAll(/(?<![\w-])--[a-z][A-Za-z-]*/g)].map(([name]) => name);
    expect([...new Set(named)].filter((name) => !isDefined(name))).toEqual([]);
  });
});

describe("the manual", () => {
  it("names exactly the environment variables that graphloom reads", () => {
    const read = new Set<string>();
    for (const file of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const source = readFileSync(join(root, "src", file), "utf8");
      for (const [name] of source.matchAll(/\bGRAPHLOOM_[A-Z][A-Z_]*[A-Z]\b/g)) read.add(name);
    }
    const named = new Set([...everything.matchAll(/\bGRAPHLOOM_[A-Z][A-Z_]*[A-Z]\b/g)].map(([name]) => name));
    // One for each network, each quota of a project and each secret.
    const isOfFamily = (name: string): boolean => /^GRAPHLOOM_(?:RPC|MOST|SECRET)/.test(name);
    expect([...read].filter((name) => !named.has(name) && !isOfFamily(name)).sort()).toEqual([]);
    const isOfTests = (name: string): boolean =>
      /^GRAPHLOOM_(?:GRAPH_NODE|SOAK_MINUTES|SUBGRAPHS)$/.test(name);
    expect(
      [...named].filter((name) => !read.has(name) && !isOfFamily(name) && !isOfTests(name)).sort(),
    ).toEqual([]);
  });

  it("names every option", () => {
    expect(options.size).toBeGreaterThan(60);
    const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const isNamed = (name: string): boolean =>
      new RegExp(`(?<![\\w-])(?:${name}|${dashed(name)}|--no-${dashed(name).slice(2)})(?![\\w-])`).test(
        everything,
      );
    expect([...options].filter((name) => !isNamed(name)).sort()).toEqual([]);
  });

  it("names every command", () => {
    const paths = [...definedCommands(commands).keys()].map((path) => path.replace(/^\$0$/, "graphloom"));
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !everything.includes(path))).toEqual([]);
  });
});
