import { describe, expect, it } from "vitest";
import { parseManifest } from "../../../src/subgraph/manifest/parse-manifest.js";
import { drawMap, drawMapWithin } from "../../../src/subgraph/map/draw-map.js";
import { mapOfManifest } from "../../../src/subgraph/map/manifest-map.js";
import type { SubgraphMap } from "../../../src/subgraph/map/subgraph-map.js";
import { elementsOf, parseXml, textOf } from "../../support/server/xml.js";

const manifest = `
specVersion: 1.2.0
schema: { file: ./schema.graphql }
dataSources:
  - &token
    kind: ethereum
    name: Dai
    network: mainnet
    source: { abi: Token, address: "0x6b175474e89094c44da98b954eedeac495271d0f", startBlock: 8928158 }
    mapping:
      entities: [Transfer, Account]
      eventHandlers: [{ event: "Transfer(indexed address,indexed address,uint256)", handler: onTransfer }]
      callHandlers: [{ function: "mint(address,uint256)", handler: onMint }]
      blockHandlers: [{ handler: onBlock, filter: { kind: polling, every: 100 } }]
  - kind: ethereum
    name: Usdc
    network: mainnet
    source: { abi: Token, address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" }
    mapping:
      entities: [Transfer, Account]
      eventHandlers: [{ event: "Transfer(indexed address,indexed address,uint256)", handler: onTransfer }]
      callHandlers: [{ function: "mint(address,uint256)", handler: onMint }]
      blockHandlers: [{ handler: onBlock, filter: { kind: polling, every: 100 } }]
templates:
  - kind: file/ipfs
    name: Details
    mapping: { entities: [Detail], handler: onFile }
`;

/** The visible texts, one for each element. */
function seen(drawing: string): readonly string[] {
  return elementsOf(parseXml(drawing), "text").map(textOf);
}

function drawn(changes: Partial<SubgraphMap>): string {
  return drawMap({ title: "pools", groups: [], entities: [], ...changes });
}

describe("the map of a manifest", () => {
  const map = mapOfManifest(parseManifest(manifest).toData(), "tokens", ["Account", "Transfer", "Unused"]);

  it("names everything once, even what contracts share", () => {
    const shown = seen(drawMap(map).replaceAll(/<desc.*?<\/desc>/gs, ""));
    expect(shown.toSorted()).toEqual(
      [
        "Contracts",
        "Events and calls",
        "Entities",
        ...["Dai", "mainnet", "0x6b175474e89094c44da98b954eedeac495271d0f", "from block 8928158"],
        ...["Usdc", "mainnet", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"],
        ...["Details", "template"],
        "Transfer(indexed address,indexed address,uint256)",
        "call mint(address,uint256)",
        "block every 100 blocks",
        "file a file",
        ...["Account", "Transfer", "Unused", "Detail"],
      ].toSorted(),
    );
  });

  it("draws a line from a group to each entity type of its mapping", () => {
    const lines = elementsOf(parseXml(drawMap(map)), "path").filter(
      (path) => path.attributes.get("class") === "edge",
    );
    // Three contracts to their triggers, two entity types of the tokens and one of the file.
    expect(lines).toHaveLength(6);
  });

  it("describes in words what it shows", () => {
    const [description] = elementsOf(parseXml(drawMap(map)), "desc").map(textOf);
    expect(description).toContain("Contracts: 3. Events and calls: 4. Entity types: 4.");
    expect(description).toContain("Dai, Usdc: event Transfer(");
    expect(description).toContain("They store Transfer, Account.");
  });

  it("treats parts of the wrong shape as missing", () => {
    const odd = { specVersion: "1", schema: {}, dataSources: [{ name: "A", mapping: { eventHandlers: 5 } }] };
    expect(mapOfManifest(odd, "odd", [])).toEqual({
      title: "odd",
      groups: [{ contracts: [{ name: "A", details: [], isTemplate: false }], triggers: [], entities: [] }],
      entities: [],
    });
  });
});

describe("a drawing", () => {
  it("is a separate document without scripts or external references", () => {
    const root = parseXml(drawn({ entities: ["Pool"] }));
    expect([root.name, root.attributes.get("xmlns")]).toEqual(["svg", "http://www.w3.org/2000/svg"]);
    expect(drawn({})).not.toMatch(/<script|<foreignObject|<image|href|@import|url\((?!#)/);
    expect(drawn({})).toContain("prefers-color-scheme:dark");
  });

  it("has the same bytes for the same map", () => {
    expect(drawn({ entities: ["A", "B"] })).toBe(drawn({ entities: ["A", "B"] }));
  });

  it("escapes any name", () => {
    const hostile = [
      "</text><script>alert(1)</script>",
      '" onload="alert(1)',
      "&amp; ' \u0000 \u202e \ud800 \uffff \u{1f600}",
      "</style>]]>-->",
    ];
    const drawing = drawMap({
      title: hostile.join(""),
      entities: hostile,
      groups: [
        {
          contracts: hostile.map((name) => ({ name, details: [name], isTemplate: true })),
          triggers: hostile.map((text) => ({ kind: "event", text, entities: hostile, creates: hostile })),
          entities: hostile,
        },
      ],
    });
    const root = parseXml(drawing);
    expect(elementsOf(root, "script")).toEqual([]);
    expect(elementsOf(root, "style")).toHaveLength(1);
    expect(drawing).not.toContain("\u202e");
    expect(seen(drawing)).toContain("</text><script>alert(1)</script>");
    expect(seen(drawing)).toContain("&amp; ' \\u0000 \\u202e \\ud800 \\uffff \u{1f600}");
  });

  it("wraps long names and truncates very long ones", () => {
    const signature = `swap(${"uint256,".repeat(9)}uint256)`;
    const drawing = drawn({
      entities: ["E".repeat(1_000_000)],
      groups: [
        {
          contracts: [],
          triggers: [{ kind: "call", text: signature, entities: [], creates: [] }],
          entities: [],
        },
      ],
    });
    expect(seen(drawing)).toContain(`call ${signature}`);
    expect(seen(drawing).at(-1)).toMatch(/^E{159}…$/);
    expect(Number(parseXml(drawing).attributes.get("width"))).toBeLessThan(1_500);
  });
});

describe("many contracts with the same triggers", () => {
  const triggers = [{ kind: "event", text: "Swap()", entities: [], creates: [] }] as const;
  const pools = (count: number): SubgraphMap["groups"][number]["contracts"] =>
    Array.from({ length: count }, (_, index) => ({
      ...{ name: `Pool${index}`, details: ["mainnet"], isTemplate: false },
    }));
  const boxes = (contracts: SubgraphMap["groups"][number]["contracts"]): readonly string[] =>
    seen(drawn({ groups: [{ contracts, triggers, entities: [] }] })).filter((text) =>
      /pool|contracts|^and/i.test(text),
    );

  it("share one box with their count beyond six, without templates", () => {
    expect(boxes(pools(6))).toEqual(["Contracts", ...pools(6).map(({ name }) => name)]);
    const template = { name: "Pool", details: ["mainnet"], isTemplate: true };
    expect(boxes([...pools(40), template])).toEqual([
      ...["Contracts", "40 contracts", "Pool0", "Pool1", "Pool2", "Pool3", "and 36 more"],
      "Pool",
    ]);
  });
});

describe("the parts of a drawing, for scripts", () => {
  const map: SubgraphMap = {
    title: "pools",
    entities: ["Pool"],
    groups: [
      {
        contracts: [
          { name: "Factory", details: [], isTemplate: false },
          { name: "Old", details: [], isTemplate: false },
        ],
        triggers: [{ kind: "event", text: "Created(address)", entities: ["Pool"], creates: ["Pair"] }],
        entities: [],
      },
      {
        contracts: [{ name: "Pair", details: [], isTemplate: true }],
        triggers: [{ kind: "event", text: "Swap()", entities: ["Pool"], creates: [] }],
        entities: [],
      },
    ],
  };
  const attributes = (drawing: string, element: string, ...names: readonly string[]) =>
    elementsOf(parseXml(drawing), element)
      .map((one) => names.map((name) => one.attributes.get(name) ?? ""))
      .filter(([first]) => first !== "");

  it("are boxes with a key each", () => {
    const created = "handler Factory Created(address)";
    expect(attributes(drawMapWithin(map), "g", "data-node", "class")).toEqual([
      ["contract Factory", "box"],
      ["contract Old", "box"],
      ["handlers Factory", ""],
      [created, "box"],
      ["contract Pair", "box"],
      ["handlers Pair", ""],
      ["handler Pair Swap()", "box"],
      ["entity Pool", "box"],
    ]);
  });

  it("are lines between these boxes", () => {
    expect(attributes(drawMapWithin(map), "path", "data-from", "data-to", "class")).toEqual([
      ["contract Factory", "handlers Factory", "edge"],
      ["contract Old", "handlers Factory", "edge"],
      ["handler Factory Created(address)", "entity Pool", "edge"],
      ["handler Factory Created(address)", "contract Pair", "edge creates"],
      ["contract Pair", "handlers Pair", "edge"],
      ["handler Pair Swap()", "entity Pool", "edge"],
    ]);
  });

  it("have different keys even where names are repeated", () => {
    const same = { contracts: [{ name: "A", details: [], isTemplate: true }], triggers: [], entities: ["E"] };
    const numbered = { ...same, contracts: [{ name: "A #2", details: [], isTemplate: true }] };
    const drawing = drawMapWithin({ title: "", entities: ["E"], groups: [same, numbered, same, same] });
    expect(attributes(drawing, "g", "data-node").flat()).toEqual([
      ...["contract A", "contract A #2", "contract A #3", "contract A #4", "entity E"],
    ]);
    expect(attributes(drawing, "path", "data-from").flat()).toHaveLength(4);
  });

  it("have links and figures only where a page gives them", () => {
    expect(drawMapWithin(map)).not.toMatch(/<a |class="figure"|role="group"/);
    const drawing = drawMapWithin(map, {
      linkOf: (key) => (key === "entity Pool" ? "/data?a=1&b=<2>" : undefined),
      figureOf: (from, to) => (from === "handler Pair Swap()" && to === "entity Pool" ? "<1>/s" : undefined),
    });
    const root = parseXml(drawing);
    const links = elementsOf(root, "a");
    expect(links.map((link) => [link.attributes.get("href"), textOf(link).trim()])).toEqual([
      ["/data?a=1&b=<2>", "Pool"],
    ]);
    const figures = elementsOf(root, "text").filter((text) => text.attributes.get("class") === "figure");
    expect(figures.map((text) => [text.attributes.get("data-from"), textOf(text)])).toEqual([
      ["handler Pair Swap()", "<1>/s"],
    ]);
    // An image hides its links from assistive technology.
    expect(root.attributes.get("role")).toBe("group");
  });

  it("are figures that do not cover each other", () => {
    const entities = ["Pool", "Token"];
    const triggers = ["A()", "B()"].map((text) => ({ kind: "event", text, entities, creates: [] }) as const);
    const drawing = drawMapWithin(
      { title: "", entities, groups: [{ contracts: [], triggers, entities: [] }] },
      { figureOf: () => "1,234/s" },
    );
    const places = attributes(drawing, "text", "data-from", "x", "y").map(([, x, y]) => [
      Number(x),
      Number(y),
    ]);
    expect(places).toHaveLength(4);
    for (const [index, [x = 0, y = 0]] of places.entries()) {
      for (const [otherX = 0, otherY = 0] of places.slice(index + 1)) {
        expect(Math.abs(x - otherX) >= 46 || Math.abs(y - otherY) >= 14).toBe(true);
      }
    }
  });
});
