import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { graphloom } from "../harness.js";

const folder = new URL("../../../docs/", import.meta.url);
const topics = readdirSync(folder).flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -3)] : []));

describe("docs", () => {
  it("lists every topic with its title, starting with the one to read first", async () => {
    const { code, out, err } = await graphloom("/", "docs");
    expect([code, err]).toEqual([0, ""]);
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^getting-started +Getting started$/);
    expect(lines.map((line) => line.split(" ")[0]).sort()).toEqual(topics.sort());
  });

  it.each(topics)("prints %s as it was written", async (topic) => {
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
])("docs leads from %s to the page that has it in a heading", async (word, page) => {
  const { code, err } = await graphloom("/", `docs ${word}`);
  expect([code, err]).toEqual([2, expect.stringMatching(new RegExp(`did you mean .*\\b${page}\\b`))]);
});
