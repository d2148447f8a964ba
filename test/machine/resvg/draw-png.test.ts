import { describe, expect, it } from "vitest";
import { drawPng, isOwnPng, PngError, zoomOf } from "../../../src/machine/resvg/draw-png.js";
import { drawMap } from "../../../src/subgraph/map/draw-map.js";
import type { MapTheme } from "../../../src/subgraph/map/map-style.js";
import { type Pixels, readPng } from "../../support/png.js";
import { elementsOf, parseXml, textOf } from "../../support/server/xml.js";

function drawing(name: string, theme: MapTheme = "light"): string {
  const contract = { name, abi: "", network: "", address: "", isTemplate: false };
  const groups = [{ contracts: [contract], triggers: [], entities: [] }];
  return drawMap({ title: "pools", groups, entities: ["Pool"] }, theme);
}

/** The number of pixels of a colour in a rectangle of the drawing, whose picture is twice as large. */
function count({ colorAt }: Pixels, color: string, [x, y, width, height]: readonly number[]): number {
  let found = 0;
  for (let row = 2 * (y ?? 0); row < 2 * ((y ?? 0) + (height ?? 0)); row += 1)
    for (let column = 2 * (x ?? 0); column < 2 * ((x ?? 0) + (width ?? 0)); column += 1)
      if (colorAt(column, row) === color) found += 1;
  return found;
}

describe("a PNG of a map", () => {
  it("is twice as large, and has its texts and colours", async () => {
    const svg = drawing("Factory");
    const picture = readPng(await drawPng(svg));
    const { attributes } = parseXml(svg);
    expect([picture.width, picture.height]).toEqual(
      ["width", "height"].map((name) => 2 * Number(attributes.get(name))),
    );
    const name = elementsOf(parseXml(svg), "text").find((text) => textOf(text) === "Factory");
    const [x, y] = ["x", "y"].map((axis) => Number(name?.attributes.get(axis))) as [number, number];
    // The seven letters stand on their line, each 7.8 wide, and nothing is written after them.
    for (let letter = 0; letter < 7; letter += 1)
      expect(count(picture, "#1c2733", [Math.floor(x + letter * 7.8), y - 12, 8, 15])).toBeGreaterThan(8);
    expect(count(picture, "#1c2733", [x + 57, y - 12, 4, 15])).toBe(0);
    expect(picture.colorAt(2, 2)).toBe("#ffffff");
    expect(count(picture, "#eaf2fb", [x, y - 12, 50, 15])).toBeGreaterThan(500);
  });

  it("has the colours of its theme", async () => {
    const picture = readPng(await drawPng(drawing("Factory", "dark")));
    expect(picture.colorAt(2, 2)).toBe("#11171d");
    expect(count(picture, "#e6edf3", [24, 64, 80, 40])).toBeGreaterThan(50);
  });

  it("is recognised as made by graphloom, and no other file is", async () => {
    const png = Buffer.from(await drawPng(drawing("Factory")));
    expect(isOwnPng(png)).toBe(true);
    const at = png.indexOf("graphloom");
    expect(
      isOwnPng(Buffer.concat([png.subarray(0, at), Buffer.from("Photoshop"), png.subarray(at + 9)])),
    ).toBe(false);
    for (const other of ["", "<svg", "\x89PNG\r\n\x1a\n"])
      expect(isOwnPng(Buffer.from(other, "latin1"))).toBe(false);
  });

  it("needs a font, and says so instead of omitting texts", async () => {
    await expect(drawPng(drawing("Factory"), false)).rejects.toThrow(PngError);
    await expect(drawPng(drawing("Factory"), false)).rejects.toThrow("this machine has none. Install one");
  });

  it("has a maximum number of pixels", () => {
    expect(zoomOf(1_000, 1_000)).toBe(2);
    expect(zoomOf(1, 32_000_000)).toBe(1);
    expect(zoomOf(20_000, 20_000)).toBeCloseTo(0.283, 3);
  });
});
