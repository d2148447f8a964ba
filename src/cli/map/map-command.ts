import { mapThemes } from "../../subgraph/map/map-style.js";
import { networkOptions, subgraphWord } from "../named/word-options.js";
import { command } from "../terminal/command.js";
import { textOption } from "../terminal/usage/options.js";
import { mapFormats } from "./map-format.js";

export const mapCommand = command({
  name: "map [subgraph]",
  describe: "Draw what a subgraph listens to and what it stores",
  positionals: { subgraph: subgraphWord },
  options: {
    output: {
      ...textOption,
      describe: "file to write to, such as map.svg, map.png or map.mmd [default: standard output]",
    },
    format: {
      choices: mapFormats,
      requiresArg: true,
      describe:
        "format of the map [default: that of the file's ending, else svg; mermaid for --readme alone]",
    },
    theme: {
      choices: mapThemes,
      default: "auto",
      requiresArg: true,
      describe: "colours: auto follows the reader's preference; a PNG is then light",
    },
    fields: {
      type: "boolean",
      default: false,
      describe: "also show the fields of entities, and lines between entities that refer to each other",
    },
    readme: {
      ...textOption,
      describe:
        "Markdown file that keeps the map between the lines <!-- graphloom map --> and <!-- /graphloom map -->: as Mermaid, or as a picture of --output",
    },
    ...networkOptions,
    ipfs: { ...textOption, describe: "IPFS gateway with a deployment: the address before /ipfs/" },
    check: {
      type: "boolean",
      default: false,
      describe: "write nothing; exit with 1 if --readme or --output differs from the subgraph",
    },
  },
  examples: [
    ["$0 map subgraph.json --output map.svg", "contracts, their events and calls, and the entities"],
    ["$0 map . --output map.svg", "the subgraph in this folder, also a hand-written one"],
    ["$0 map subgraph.json --fields --theme dark --output map.png", "with fields, as a dark picture"],
    ["$0 map subgraph.json --readme README.md", "keep the map in a README, as Mermaid"],
    ["$0 map subgraph.json --readme README.md --output docs/map.svg", "keep it in a README, as a picture"],
    ["$0 map subgraph.json --readme README.md --check", "in CI: check that the README is up to date"],
  ],
  load: async () => {
    const { wordOr } = await import("../named/default-word.js");
    const { drawWord } = await import("./draw-word.js");
    return async (args, terminal) =>
      drawWord({ ...args, subgraph: await wordOr(args.subgraph, "graphloom map", terminal) }, terminal);
  },
});
