import { expect, it } from "vitest";
import { explorerAddress, mapLinks } from "../../../../src/platform/pages/map/map-links.js";
import { address, sampleMap } from "./sample-map.js";

function linksOf(tokens?: number) {
  const { diagram, lines } = sampleMap(tokens);
  return mapLinks(diagram, lines, (type) => `/data/${type.toLowerCase()}`);
}

it("the map leads from entity types to their entities, and from contracts to their explorer", () => {
  const links = linksOf();
  expect(links.get("entity Account")).toBe("/data/account");
  expect(links.get("contract Token2")).toBe(`https://etherscan.io/address/${address(2)}`);
});

it("the map leads from an event to the only entities that it stores, and otherwise to its line in the list", () => {
  const links = linksOf();
  expect(links.get("handler Token1 Mint(address)")).toBe("/data/transfer");
  expect(links.get("handler Token1 Transfer(address)")).toBe("#handler-1-1");
  expect(links.get("handler Factory Created(address)")).toBe("#handler-2-1");
  expect(links.get("handler Pool Swap(address)")).toBe("#handler-3-1");
});

it("the map leads to the list from contracts without an explorer, without an address, and in a shared box", () => {
  const links = linksOf(9);
  expect(links.get("contract Factory")).toBe("#handler-2-1");
  expect(links.get("contract Pool")).toBe("#handler-3-1");
  const { diagram } = sampleMap(9);
  const [shared] = diagram.groups[0]?.contracts ?? [];
  expect(links.get(shared?.key ?? "")).toBe("#handler-1-1");
});

it("the map has a link for every box", () => {
  const { diagram } = sampleMap();
  const boxes = [
    ...diagram.entities,
    ...diagram.groups.flatMap(({ contracts, handlers }) => [...contracts, ...handlers]),
  ];
  const links = linksOf();
  expect(boxes.filter(({ key }) => !links.has(key))).toEqual([]);
});

it.each([
  "javascript:alert(1)",
  "0x12",
  `${address(1)}?x`,
  "",
])("the map does not link to an invalid address: %s", (wrong) => {
  expect(explorerAddress({ network: "mainnet", address: wrong })).toBeUndefined();
});
