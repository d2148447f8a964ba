import { describe, expect, it } from "vitest";
import { parseManifest } from "../../../src/subgraph/manifest/parse-manifest.js";
import { drawMap, drawMapWithin } from "../../../src/subgraph/map/draw-map.js";
import { mapOfManifest } from "../../../src/subgraph/map/manifest-map.js";
import { type MapTheme, mapThemes } from "../../../src/subgraph/map/map-style.js";
import {
  groupContracts,
  type MapContract,
  type MapTrigger,
  type SubgraphMap,
} from "../../../src/subgraph/map/subgraph-map.js";
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

function contract(name: string, changes: Partial<MapContract> = {}): MapContract {
  return { name, abi: "", network: "", address: "", isTemplate: false, ...changes };
}

function event(text: string, changes: Partial<MapTrigger> = {}): MapTrigger {
  return { kind: "event", text, parameters: [], calls: [], entities: [], creates: [], ...changes };
}

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
        "Dai",
        "mainnet",
        "0x6b175474e89094c44da98b954eedeac495271d0f",
        "from block 8928158",
        "Usdc",
        "mainnet",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "Details",
        "template",
        "Transfer(address, address, uint256)",
        "call mint(address, uint256)",
        "block every 100 blocks",
        "file a file",
        "Account",
        "Transfer",
        "Unused",
        "Detail",
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
      groups: [{ contracts: [contract("A")], triggers: [], entities: [] }],
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
          contracts: hostile.map((name) => contract(name, { network: name, isTemplate: true })),
          triggers: hostile.map((text) =>
            event(text, { parameters: hostile, calls: hostile, entities: hostile, creates: hostile }),
          ),
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
          triggers: [event(signature, { kind: "call" })],
          entities: [],
        },
      ],
    });
    expect(seen(drawing)).toContain(`call ${signature.replaceAll(",", ", ")}`);
    expect(seen(drawing).at(-1)).toMatch(/^E{159}…$/);
    expect(Number(parseXml(drawing).attributes.get("width"))).toBeLessThan(1_500);
  });
});

describe("a handler in a drawing", () => {
  const swap = event("Swap(indexed address,(uint256,bool)[],bytes)", {
    parameters: ["sender", "", "data"],
    calls: ["Pool.fee", "ERC20.balanceOf"],
  });
  const boxOf = (trigger: MapTrigger) => {
    const drawing = drawn({ groups: [{ contracts: [], triggers: [trigger], entities: [] }] });
    const [box] = elementsOf(parseXml(drawing), "g").filter((one) => one.attributes.get("class") === "box");
    if (!box) throw new Error("there is no box");
    return box;
  };

  it("shows the names of parameters, and their types on hover", () => {
    const box = boxOf(swap);
    expect(elementsOf(box, "text").map(textOf)).toContain("Swap(sender, (uint256,bool)[], data)");
    expect(textOf(elementsOf(box, "title")[0] ?? box).split("\n")).toEqual([
      "Swap(address indexed sender, (uint256,bool)[], bytes data)",
      "reads Pool.fee, ERC20.balanceOf",
    ]);
  });

  it("shows a mark for each function that it calls, and their number where they do not fit", () => {
    expect(elementsOf(boxOf(swap), "text").map(textOf).slice(1)).toEqual(["reads", "fee", "balanceOf"]);
    expect(elementsOf(boxOf(event("Swap()")), "text").map(textOf)).toEqual(["Swap()"]);
    const calls = Array.from({ length: 30 }, (_, index) => `Pool.function${index}`);
    const shown = elementsOf(boxOf(event("Swap()", { calls })), "text")
      .map(textOf)
      .slice(2);
    expect(shown).toEqual(["function0", "function1", "function2", "+27"]);
  });

  it("keeps a text that is not a signature", () => {
    for (const text of ["every 5 blocks", "Odd(", "Odd(a))(", "(uint256)"])
      expect(elementsOf(boxOf(event(text)), "text").map(textOf)).toEqual([text]);
  });
});

describe("the fields of entities", () => {
  const map: SubgraphMap = {
    title: "pools",
    groups: [],
    entities: ["Swap", "Pool"],
    fields: new Map([
      [
        "Swap",
        [
          { name: "amount", type: "BigInt!", isDerived: false },
          { name: "pool", type: "Pool!", references: "Pool", isDerived: false },
          { name: "other", type: "Missing", references: "Missing", isDerived: false },
        ],
      ],
      ["Pool", [{ name: "swaps", type: "[Swap!]!", references: "Swap", isDerived: true }]],
    ]),
  };

  it("are shown with their types, and references as lines from the field that is stored", () => {
    const drawing = drawMap(map);
    expect(seen(drawing).map((text) => text.replace(/\s+/, " "))).toEqual([
      "Contracts",
      "Events and calls",
      "Entities",
      "Swap",
      "amount BigInt!",
      "pool Pool!",
      "other Missing",
      "Pool",
      "swaps [Swap!]!",
    ]);
    const lines = elementsOf(parseXml(drawing), "path").filter((path) => path.attributes.has("data-from"));
    expect(lines.map(({ attributes }) => [attributes.get("class"), attributes.get("data-to")])).toEqual([
      ["edge refers", "entity Pool"],
    ]);
    const y = (text: string): number => {
      const found = elementsOf(parseXml(drawing), "text").find((one) => textOf(one).startsWith(text));
      return Number(found?.attributes.get("y"));
    };
    const start = Number(/^M\S+ (\S+)C/.exec(lines[0]?.attributes.get("d") ?? "")?.[1]);
    expect(Math.abs(start - y("pool"))).toBeLessThan(6);
  });

  it("are left out by default, and beyond thirty", () => {
    expect(seen(drawMap({ ...map, fields: new Map() }))).not.toContain("amount");
    const many = Array.from({ length: 40 }, (_, index) => ({
      name: `field${index}`,
      type: "Int",
      isDerived: false,
    }));
    const drawing = drawMap({ ...map, fields: new Map([["Swap", many]]) });
    expect(seen(drawing)).toContain("and 10 more");
    expect(seen(drawing).filter((text) => text.startsWith("field"))).toHaveLength(30);
  });
});

describe("a high drawing", () => {
  const groups = (count: number): SubgraphMap["groups"] =>
    Array.from({ length: count }, (_, index) => ({
      contracts: [contract(`C${index}`)],
      triggers: ["A()", "B()", "C()"].map((text) => event(text, { entities: [`E${index}`, "Shared"] })),
      entities: [],
    }));
  const drawingOf = (count: number): string =>
    drawn({
      groups: groups(count),
      entities: [...groups(count).map((_, index) => `E${index}`), "Shared", "Unused"],
    });
  const numberOf = (drawing: string, name: string): number => Number(parseXml(drawing).attributes.get(name));
  const headings = (drawing: string): readonly string[] =>
    seen(drawing).filter((text) => text === "Contracts" || text === "Entities");

  it("has one column of groups up to 3,000 pixels, and two beyond", () => {
    const [one, two] = [drawingOf(24), drawingOf(40)];
    expect(numberOf(one, "height")).toBeLessThanOrEqual(3_000);
    expect(headings(one)).toEqual(["Contracts", "Entities"]);
    expect(headings(two)).toEqual(["Contracts", "Entities", "Contracts", "Entities"]);
    expect(numberOf(two, "height")).toBeLessThan(0.6 * (40 / 24) * numberOf(one, "height"));
    expect(numberOf(two, "width")).toBeGreaterThan(1.8 * numberOf(one, "width"));
  });

  it("has as many columns as keep it about as high as wide", () => {
    const [four, many] = [drawingOf(80), drawingOf(1_000)];
    expect(headings(four).filter((text) => text === "Contracts")).toHaveLength(4);
    expect(numberOf(four, "height")).toBeLessThanOrEqual(3_000);
    const [width, height] = [numberOf(many, "width"), numberOf(many, "height")];
    expect(width / height).toBeGreaterThan(0.5);
    expect(width / height).toBeLessThan(2);
  });

  describe("of one contract with 300 events", () => {
    const names = Array.from({ length: 300 }, (_, index) => `Event${index}`);
    const contracts = [contract("Busy", { address: "0x01" })];
    const listening = [
      {
        contract: contracts[0] as MapContract,
        triggers: names.map((name) => event(`${name}()`, { entities: [name] })),
        entities: [],
      },
      { contract: contract("Busy2"), triggers: [event("A()", { creates: ["Made"] })], entities: [] },
      {
        contract: contract("Made", { isTemplate: true }),
        triggers: names.map((name) => event(`${name}()`)),
        entities: names,
      },
    ];
    const map: SubgraphMap = { title: "busy", groups: groupContracts(listening), entities: names };

    it("shows the contract again in each column, with a part of its events", () => {
      const root = parseXml(drawMap(map));
      const boxes = elementsOf(root, "g").filter((box) =>
        /^contract Busy( #|$)/.test(box.attributes.get("data-node") ?? ""),
      );
      expect(boxes.map((box) => elementsOf(box, "text").map(textOf))).toEqual(
        [1, 2, 3, 4].map((part) => ["Busy", "0x01", `part ${part} of 4`]),
      );
      const [width, height] = ["width", "height"].map((name) => Number(root.attributes.get(name)));
      expect(Number(height) / Number(width)).toBeLessThan(2);
    });

    it("counts the contract once in words, and creates it once", () => {
      const root = parseXml(drawMap(map));
      expect(textOf(elementsOf(root, "desc")[0] ?? root)).toContain(
        "Contracts: 3. Events and calls: 601. Entity types: 300.",
      );
      const creations = elementsOf(root, "path").filter(
        (path) => path.attributes.get("class") === "edge creates",
      );
      expect(creations.map((path) => path.attributes.get("data-to"))).toEqual(["contract Made"]);
    });
  });

  it("keeps every box inside, apart from the others, and every line", () => {
    const drawing = drawingOf(40);
    const root = parseXml(drawing);
    const boxes = elementsOf(root, "rect")
      .filter((box) => /^(contract|row|entity)$/.test(box.attributes.get("class") ?? ""))
      .map(({ attributes }) => ["x", "y", "width", "height"].map((name) => Number(attributes.get(name))));
    expect(boxes).toHaveLength(40 + 120 + 42);
    const covered: (readonly number[])[] = [];
    for (const [index, [x = 0, y = 0, width = 0, height = 0]] of boxes.entries()) {
      expect(x + width).toBeLessThan(Number(root.attributes.get("width")));
      expect(y + height).toBeLessThan(Number(root.attributes.get("height")));
      for (const [otherX = 0, otherY = 0, otherWidth = 0, otherHeight = 0] of boxes.slice(index + 1)) {
        const apart =
          x + width <= otherX ||
          otherX + otherWidth <= x ||
          y + height <= otherY + 0.2 ||
          otherY + otherHeight <= y + 0.2;
        if (!apart) covered.push([x, y, otherX, otherY]);
      }
    }
    expect(covered).toEqual([]);
    const lines = elementsOf(root, "path").filter((path) => path.attributes.has("data-from"));
    expect(lines).toHaveLength(40 + 2 * 120);
  });
});

describe("the colours of a drawing", () => {
  it("follow the reader for auto, and are fixed for light and dark", () => {
    const style = (theme: MapTheme): string =>
      textOf(
        elementsOf(parseXml(drawMap({ title: "", groups: [], entities: [] }, theme)), "style")[0] ??
          parseXml(""),
      );
    const [auto, light, dark] = mapThemes.map(style);
    expect(auto).toContain("@media (prefers-color-scheme:dark)");
    for (const fixed of [light, dark]) expect(fixed).not.toContain("@media");
    expect(light).toContain(".paper{fill:#ffffff}");
    expect(dark).toContain(".paper{fill:#11171d}");
    // Image editors do not know variables.
    for (const any of [auto, light, dark]) expect(any).not.toContain("var(");
  });
});

describe("contracts with the same triggers", () => {
  const pools = (count: number, abi = "Pool"): readonly MapContract[] =>
    Array.from({ length: count }, (_, index) => contract(`${abi}${index}`, { abi, network: "mainnet" }));
  const boxes = (contracts: readonly MapContract[]) => {
    const drawing = drawn({ groups: [{ contracts, triggers: [event("Swap()")], entities: [] }] });
    return elementsOf(parseXml(drawing), "g")
      .filter((box) => box.attributes.get("data-node")?.startsWith("contract "))
      .map((box) => ({
        texts: elementsOf(box, "text").map(textOf),
        title: elementsOf(box, "title").map(textOf).join("").split("\n"),
      }));
  };
  const names = (contracts: readonly MapContract[]): readonly (string | undefined)[] =>
    boxes(contracts).map(({ texts: [name] }) => name);

  it("share a box with their count if more than three have one ABI", () => {
    expect(names(pools(3))).toEqual(["Pool0", "Pool1", "Pool2"]);
    expect(boxes(pools(40))).toEqual([
      {
        texts: ["Pool ×40", "mainnet", "Pool0", "Pool1", "Pool2", "Pool3", "and 36 more"],
        title: pools(40).map(({ name }) => `${name}  mainnet`),
      },
    ]);
    expect(names([...pools(4), ...pools(2, "Vault")])).toEqual(["Pool ×4", "Vault0", "Vault1"]);
  });

  it("keep a box of their own as templates", () => {
    expect(names([...pools(5), contract("Made", { abi: "Pool", isTemplate: true })])).toEqual([
      "Pool ×5",
      "Made",
    ]);
  });

  it("share a box if each has an ABI of its own, and there are more than six", () => {
    const different = (count: number) => pools(count).map((one) => ({ ...one, abi: one.name }));
    expect(names(different(6))).toHaveLength(6);
    expect(names(different(7))).toEqual(["7 contracts"]);
  });

  it("are listed on hover up to a limit", () => {
    const [box] = boxes(pools(1_000));
    expect(box?.title).toHaveLength(41);
    expect(box?.title.at(-1)).toBe("and 960 more");
  });
});

describe("the parts of a drawing, for scripts", () => {
  const map: SubgraphMap = {
    title: "pools",
    entities: ["Pool"],
    groups: [
      {
        contracts: [contract("Factory"), contract("Old")],
        triggers: [event("Created(address)", { entities: ["Pool"], creates: ["Pair"] })],
        entities: [],
      },
      {
        contracts: [contract("Pair", { isTemplate: true })],
        triggers: [event("Swap()", { entities: ["Pool"] })],
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

  it("have different keys even if names are repeated", () => {
    const same = { contracts: [contract("A", { isTemplate: true })], triggers: [], entities: ["E"] };
    const numbered = { ...same, contracts: [contract("A #2", { isTemplate: true })] };
    const drawing = drawMapWithin({ title: "", entities: ["E"], groups: [same, numbered, same, same] });
    expect(attributes(drawing, "g", "data-node").flat()).toEqual([
      "contract A",
      "contract A #2",
      "contract A #3",
      "contract A #4",
      "entity E",
    ]);
    expect(attributes(drawing, "path", "data-from").flat()).toHaveLength(4);
  });

  it("have links and figures only if a page provides them", () => {
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
    const triggers = ["A()", "B()"].map((text) => event(text, { entities }));
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
