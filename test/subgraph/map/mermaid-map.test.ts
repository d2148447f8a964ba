import { describe, expect, it } from "vitest";
import { MapTooLargeError, mermaidOf } from "../../../src/subgraph/map/mermaid-map.js";
import type { MapContract, MapTrigger, SubgraphMap } from "../../../src/subgraph/map/subgraph-map.js";

function contract(name: string, changes: Partial<MapContract> = {}): MapContract {
  return { name, abi: "", network: "", address: "", isTemplate: false, ...changes };
}

function event(text: string, changes: Partial<MapTrigger> = {}): MapTrigger {
  return { kind: "event", text, parameters: [], calls: [], entities: [], creates: [], ...changes };
}

const map: SubgraphMap = {
  title: "pools",
  entities: ["Pool", "Swap"],
  groups: [
    {
      contracts: [contract("Factory", { network: "mainnet" })],
      triggers: [
        event("PoolCreated(address)", { parameters: ["pool"], entities: ["Pool"], creates: ["Pair"] }),
      ],
      entities: [],
    },
    {
      contracts: [contract("Pair", { network: "mainnet", isTemplate: true })],
      triggers: [event("Swap()", { entities: ["Swap", "Pool"] }), event("burn()", { kind: "call" })],
      entities: ["Swap"],
    },
  ],
};

/** A label of safe characters and references between quotes. */
const label = String.raw`"(?:[\p{L}\p{M}\p{N} _.,:()/+×…-]|#\d+;|<br/>)+"`;
/** The kinds of lines that a flow chart may have. */
const grammar = [
  "%% Drawn by graphloom map",
  String.raw`%%\{init: \{"theme": "(?:dark|default)"\}\}%%`,
  "flowchart LR",
  String.raw`c\d+\[${label}\]:::(?:contract|template)`,
  String.raw`subgraph p\d+\[" "\]`,
  "end",
  String.raw`[hp]\d+\(${label}\)`,
  String.raw`e\d+\(\[${label}\]\):::entity`,
  String.raw`[chpe]\d+ --> [chpe]\d+`,
  String.raw`[hp]\d+ -\. creates \.-> c\d+`,
  String.raw`e\d+ -\. ${label} \.-> e\d+`,
  String.raw`classDef \w+ [a-z0-9:,# -]+`,
].map((line) => new RegExp(`^ *${line}$`, "u"));

/** The lines that are none of Mermaid's. */
function faults(text: string): readonly string[] {
  expect(text.endsWith("\n")).toBe(true);
  const lines = text.slice(0, -1).split("\n");
  expect(lines.filter((line) => /^ *subgraph/.test(line))).toHaveLength(
    lines.filter((line) => /^ *end$/.test(line)).length,
  );
  return lines.filter((line) => !grammar.some((kind) => kind.test(line)));
}

describe("a map in Mermaid", () => {
  it("has the boxes and lines of the drawing", () => {
    const text = mermaidOf(map);
    expect(faults(text)).toEqual([]);
    expect(text.split("\n").map((line) => line.trim())).toEqual([
      "%% Drawn by graphloom map",
      "flowchart LR",
      'c1["Factory<br/>mainnet"]:::contract',
      'subgraph p1[" "]',
      'h1("PoolCreated(pool)")',
      "end",
      'c2["Pair<br/>template<br/>mainnet"]:::template',
      'subgraph p2[" "]',
      'h2("Swap()")',
      'h3("call burn()")',
      "end",
      'e1(["Pool"]):::entity',
      'e2(["Swap"]):::entity',
      "c1 --> p1",
      "h1 --> e1",
      "h1 -. creates .-> c2",
      "c2 --> p2",
      "p2 --> e2",
      "h2 --> e2",
      "h2 --> e1",
      ...text
        .split("\n")
        .slice(-4, -1)
        .map((line) => line.trim()),
      "",
    ]);
  });

  it("has the fields of entities, and lines to the entities that they refer to", () => {
    const text = mermaidOf({
      ...map,
      fields: new Map([["Swap", [{ name: "pool", type: "Pool!", references: "Pool", isDerived: false }]]]),
    });
    expect(faults(text)).toEqual([]);
    expect(text).toContain('e2(["Swap<br/>pool: Pool#33;"]):::entity');
    expect(text).toContain('e2 -. "pool" .-> e1');
  });

  it("leaves the colours to the page, unless they are chosen", () => {
    expect(mermaidOf(map)).not.toContain("init");
    for (const theme of ["light", "dark"] as const) expect(faults(mermaidOf(map, theme))).toEqual([]);
    expect(mermaidOf(map, "dark")).toContain('%%{init: {"theme": "dark"}}%%');
  });

  it.each([
    '"] --> c9["',
    "<script>alert(1)</script>",
    "-->",
    "<!-- /graphloom map -->",
    "```\n# Heading",
    "end",
    "a\r\nb\u0000\u2028c",
    "%%{init: {}}%%",
    "#quot; &quot; #34;",
    "`markdown` **bold** $$x$$",
    "\u202e\ud800\uffff\u{1f600} 漢字",
    "click c1 call alert()",
    "",
    "   ",
    "x".repeat(100_000),
  ])("stays well-formed with any name: %j", (name) => {
    const text = mermaidOf({
      title: name,
      entities: [name],
      groups: [
        {
          contracts: [contract(name, { network: name, isTemplate: true })],
          triggers: [event(name, { parameters: [name], calls: [name], entities: [name], creates: [name] })],
          entities: [name],
        },
      ],
      fields: new Map([[name, [{ name, type: name, references: name, isDerived: false }]]]),
    });
    expect(faults(text)).toEqual([]);
    expect(text.length).toBeLessThan(5_000);
  });

  it("has one box for the handlers of a group beyond what Mermaid draws, and fails beyond that", () => {
    const large = (groups: number, handlers: number): SubgraphMap => ({
      title: "large",
      entities: ["A", "B", "C"],
      groups: Array.from({ length: groups }, (_, group) => ({
        contracts: [contract(`C${group}`)],
        triggers: Array.from({ length: handlers }, (__, index) =>
          event(`E${group}x${index}()`, { entities: ["A", "B", "C"] }),
        ),
        entities: [],
      })),
    });
    expect(mermaidOf(large(10, 16))).toContain("h160(");
    const brief = mermaidOf(large(10, 17));
    expect(faults(brief)).toEqual([]);
    expect(brief).toContain('p1("E0x0()<br/>E0x1()');
    expect(brief).toContain("<br/>and 9 more");
    expect(brief.match(/p1 --> e1/g)).toHaveLength(1);
    expect(() => mermaidOf(large(200, 2))).toThrow(MapTooLargeError);
  });
});
