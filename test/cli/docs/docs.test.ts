import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readManual } from "../../../src/machine/manual.js";
import { graphloom } from "../harness.js";

const folder = new URL("../../../docs/", import.meta.url);
const topics = readdirSync(folder).flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -3)] : []));

describe("docs", () => {
  it("lists every topic under a part with what it is about, starting with the one to read first", async () => {
    const { code, out, err } = await graphloom("/", "docs");
    expect([code, err]).toEqual([0, ""]);
    const lines = out.trimEnd().split("\n");
    expect(lines.slice(0, 2)).toEqual([
      "Start",
      expect.stringMatching(/^ {2}getting-started +This page takes you from an ABI to a first query/),
    ]);
    const listed = lines.filter((line) => line.startsWith("  "));
    expect(listed.map((line) => line.trim().split(" ")[0]).sort()).toEqual(topics.sort());
    expect(lines).not.toContain("More");
    // A page that begins with a section has only its title to show.
    const titles = readManual().map(({ name, title }) => `${name} ${title}`);
    expect(listed.filter((line) => titles.includes(line.trim().replace(/ +/, " ")))).toEqual([]);
  });

  it("fits its list into a terminal", async () => {
    const { out } = await graphloom("/", "docs", { columns: 80 });
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(out).toContain("…");
  });

  it.each(topics)("prints %s exactly as the page is written", async (topic) => {
    const { code, out } = await graphloom("/", `docs ${topic}`);
    expect([code, out]).toEqual([0, readFileSync(new URL(`${topic}.md`, folder), "utf8")]);
  });

  it("suggests the topic that was probably meant", async () => {
    const { code, err } = await graphloom("/", "docs configuraton");
    expect(code).toBe(2);
    expect(err).toContain('There is no topic "configuraton"; did you mean configuration?');
  });
});

it.each([
  ["install", "getting-started"],
  ["backup", "serve"],
  ["back-up", "serve"],
  ["sslmode", "pipeline-sinks"],
])("docs leads from %s to the sections that contain it, with a line of each, the best first", async (word, page) => {
  const { code, out, err } = await graphloom("/", `docs ${word}`);
  expect([code, err]).toEqual([0, ""]);
  const pages = Array.from(out.matchAll(/^graphloom docs (\S+) {2}\S/gm), ([, name]) => name);
  expect(pages.slice(0, 3)).toContain(page);
  expect(pages.length).toBeLessThanOrEqual(10);
  expect(out).toMatch(/^ {4}\S/m);
});

it("docs refuses a word that is on no page", async () => {
  const { code, out, err } = await graphloom("/", "docs xylophone");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain('There is no topic "xylophone", and no page has it.');
});
