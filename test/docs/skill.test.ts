import { describe, expect, it } from "vitest";
import { commandPaths } from "../../src/cli/program.js";
import { isCode } from "../../src/compiler/diagnostics/catalog.js";
import { readManual } from "../../src/machine/manual.js";
import { codeBlocks } from "../support/docs/code-blocks.js";
import { agentPages, linksOf } from "../support/docs/pages.js";

const pages = agentPages();
const skill = pages.find(({ path }) => path === "skills/graphloom/SKILL.md")?.text ?? "";

// The tests of the manual check every command, option and link on these pages.
describe("the skill", () => {
  it("says in its head what it is for, in the form that agents read", () => {
    const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? [];
    const [name, description] = head.split("\n");
    expect(name).toBe("name: graphloom");
    expect(description).toMatch(/^description: \S.{40,1000}$/);
    expect(description).not.toContain(": ".repeat(2));
  });

  it("is short, and links to each of its references", () => {
    const own = pages.filter(({ path }) => path.startsWith("skills/"));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter(({ text }) => text.split("\n").length > 60).map(({ path }) => path)).toEqual([]);
    const references = own.filter(({ path }) => path.includes("/references/"));
    expect([...linksOf(skill)].sort()).toEqual(
      references.map(({ path }) => path.replace("skills/graphloom/", "")).sort(),
    );
  });
});

it("the settings of agents in the manual name the command and the address that exist", () => {
  const page = { path: "agents", text: readManual().find(({ name }) => name === "agents")?.markdown ?? "" };
  const settings = codeBlocks([page]).filter(({ language }) => language === "json");
  const servers = settings.map(({ text }) => JSON.parse(text).mcpServers.graphloom);
  expect(servers).toEqual([
    { command: "npx", args: ["graphloom", "mcp"] },
    {
      type: "http",
      url: "http://127.0.0.1:8030/mcp",
      headers: { Authorization: "Bearer <key>" },
    },
  ]);
  expect(commandPaths).toContain("mcp");
});

it("pages for agents name only pages of the manual and codes that exist", () => {
  const all = pages.map(({ text }) => text).join("\n");
  const manual = readManual().map(({ name }) => name);
  const named = [...all.matchAll(/graphloom docs ([a-z-]+)/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !manual.includes(name))).toEqual([]);
  const codes = [...all.matchAll(/graphloom explain ([a-z-]+)/g)].map(([, code = ""]) => code);
  expect(codes.length).toBeGreaterThan(1);
  expect(codes.filter((code) => !isCode(code))).toEqual([]);
});
