import { expect, it } from "vitest";
import { handlerList } from "../../../../src/platform/pages/map/handler-list.js";
import { mapFigures } from "../../../../src/platform/pages/map/map-figures.js";
import { mapLines } from "../../../../src/platform/pages/map/map-lines.js";
import { diagramOf } from "../../../../src/subgraph/map/diagram.js";
import { address, sampleMap } from "./sample-map.js";

type Sample = Pick<ReturnType<typeof sampleMap>, "lines" | "handlers">;

/** The rows of the list, each as the texts of its cells. */
function rowsOf({ lines, handlers }: Sample): readonly (readonly string[])[] {
  const mint = { source: "Token2", handler: "onMint" };
  const counts = [
    { ...mint, type: "", count: 1_300n, perSecond: 2 },
    { ...mint, type: "Transfer", count: 2_600n, perSecond: 4 },
    { source: "Pool", handler: "onSwap", type: "Swap", count: 1_200n, perSecond: 0 },
  ];
  const figures = mapFigures(lines, handlers, { handlers: { counts } });
  const markup = handlerList(lines, figures, (type) => `/data/${type}`)?.markup ?? "";
  return [...markup.matchAll(/<tr[ >].*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) => cell.replaceAll(/<[^>]*>/g, "")),
  );
}

it("the list lists the triggers of each handler, its stored and created objects, and how often it ran", () => {
  expect(rowsOf(sampleMap())).toEqual([
    ["Event or call", "Contracts", "Stores", "Creates", "Runs", "Last minute"],
    ["Transfer(address)", "Token1, Token2", "Transfer, Account", "", "", ""],
    ["Mint(address)", "Token1, Token2", "Transfer 2,600", "", "1,300", "2/s"],
    ["Created(address)", "Factory", "", "Pool", "", ""],
    ["Removed(address)", "Factory", "", "", "", ""],
    ["Swap(address)", "Pool", "any of Swap 1,200, Account", "", "", ""],
  ]);
});

it("the list links contracts to their explorer, and cuts long lists", () => {
  const { lines, handlers } = sampleMap(12);
  const markup = handlerList(lines, mapFigures(lines, handlers, {}), () => "/data")?.markup ?? "";
  expect(markup).toContain(
    `<a href="https://etherscan.io/address/${address(3)}" rel="external noreferrer">Token3</a>`,
  );
  expect(markup).toContain("and 4 more");
  expect(markup).not.toContain("Token9");
});

it("the list escapes the names in a manifest, and has at most 200 rows", () => {
  const { map, handlers } = sampleMap();
  const [group] = map.groups;
  const [trigger] = group?.triggers ?? [];
  if (!group || !trigger) throw new Error("the sample has groups");
  const triggers = Array.from({ length: 300 }, (_, index) => ({
    ...trigger,
    text: `<b>${index}</b>(address)`,
  }));
  const many = { ...map, groups: [{ ...group, triggers }] };
  const lines = mapLines(many, diagramOf(many));
  const markup = handlerList(lines, mapFigures(lines, handlers, {}), () => "/data")?.markup ?? "";
  expect(markup).not.toContain("<b>");
  expect(markup.split("<tr id=").length - 1).toBe(200);
  expect(markup).toContain("And 100 more.");
});
