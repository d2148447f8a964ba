import { describe, expect, it } from "vitest";
import { imageReference, mermaidBlock, withMapPart } from "../../../src/cli/map/readme-part.js";

const markers = "<!-- graphloom map -->\n<!-- /graphloom map -->";

describe("a README with a map", () => {
  it("keeps everything else, and is the same when the map is put in again", () => {
    const first = withMapPart(`# Pools\n\n${markers}\n\nMore.`, "map\nof pools\n");
    const text = "# Pools\n\n<!-- graphloom map -->\n\nmap\nof pools\n\n<!-- /graphloom map -->\n\nMore.";
    expect(first).toEqual({ text });
    expect(withMapPart(text, "map\nof pools\n")).toEqual({ text });
    expect(withMapPart(text, "new")).toEqual({ text: text.replace("map\nof pools", "new") });
  });

  it("keeps its kind of line ends", () => {
    const readme = `# Pools\r\n\r\n  ${markers.replace("\n", "\r\n")}\r\nMore.\nMixed.`;
    const result = withMapPart(readme, "a\nb");
    expect(result).toEqual({
      text: "# Pools\r\n\r\n  <!-- graphloom map -->\r\n\r\na\r\nb\r\n\r\n<!-- /graphloom map -->\r\nMore.\nMixed.",
    });
  });

  it.each([
    ["no comments", "# Pools"],
    ["only the first comment", "<!-- graphloom map -->"],
    ["only the last comment", "<!-- /graphloom map -->"],
    ["both in the wrong order", "<!-- /graphloom map -->\n<!-- graphloom map -->"],
    ["both in a code block", `\`\`\`html\n${markers}\n\`\`\``],
    ["both in a longer code block", `~~~~\n~~~\n${markers}\n~~~~`],
    ["both within other lines", "Write `<!-- graphloom map -->` and `<!-- /graphloom map -->`."],
  ])("cannot hold a map with %s", (_, readme) => {
    expect(withMapPart(readme, "map")).toEqual({ fault: "missing" });
  });

  it.each([
    `${markers}\n${markers}`,
    `<!-- graphloom map -->\n${markers}`,
  ])("cannot hold a map if a comment is repeated", (readme) => {
    expect(withMapPart(readme, "map")).toEqual({ fault: "repeated" });
  });

  it("may describe the comments of the map in a code block", () => {
    const result = withMapPart(`\`\`\`\n${markers}\n\`\`\`\n${markers}\n`, mermaidBlock("flowchart LR\n"));
    if (!("text" in result)) throw new Error(result.fault);
    expect(result.text).toContain(
      "\n<!-- graphloom map -->\n\n```mermaid\nflowchart LR\n```\n\n<!-- /graphloom map -->\n",
    );
    expect(withMapPart(result.text, mermaidBlock("flowchart LR\n"))).toEqual(result);
  });
});

describe("a picture in a README", () => {
  it("has an address without spaces and a description without markup", () => {
    expect(imageReference("pools/1.0.0", "../docs/my map (1).svg")).toBe(
      "![Map of pools/1.0.0](../docs/my%20map%20%281%29.svg)",
    );
    expect(imageReference("](x) <b>`*_", "map.svg")).toBe("![Map of \\](x) \\<b\\>\\`\\*\\_](map.svg)");
  });
});
