import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Adjustments, adjustBuild } from "../../src/subgraph/adjust-build.js";
import { manifestText, sampleBuild, sampleManifest } from "./sample-build.js";

const base = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH";
const grafted = `${sampleManifest.replace("ipfsOnEthereumContracts", "ipfsOnEthereumContracts\n  - grafting")}graft: # on top
  base: ${base}
  block: 5
`;
const adjusted = (adjustments: Adjustments, manifest = sampleManifest): string =>
  manifestText(
    adjustBuild(
      sampleBuild(() => manifest),
      adjustments,
    ),
  );

describe("an adjusted build", () => {
  it("stays the same to the byte when nothing changes", () => {
    const build = sampleBuild();
    expect(adjustBuild(build, {})).toBe(build);
    expect(adjustBuild(build, { removeGraft: true, startBlock: undefined, graft: undefined })).toBe(build);
    const odd = sampleBuild((text) => text.replaceAll("\n", "\r\n").replace("[Pool]", "[ Pool ,]"));
    expect(adjustBuild(odd, { removeGraft: true })).toBe(odd);
  });

  it("starts every data source at the new block, and no template", () => {
    expect(adjusted({ startBlock: 7 })).toBe(
      sampleManifest
        .replace("startBlock: 12369621", "startBlock: 7")
        .replace("      abi: ERC20\n    mapping", "      abi: ERC20\n      startBlock: 7\n    mapping")
        .replaceAll(/\[(Pool|Transfer|Swap)\]/g, "[ $1 ]"),
    );
  });

  it("gets a graft and the feature that it needs", () => {
    const { graft, features } = parse(adjusted({ graft: { base, block: 5 } }));
    expect(graft).toEqual({ base, block: 5 });
    expect(features).toEqual(["ipfsOnEthereumContracts", "grafting"]);
    const plain = sampleManifest.replace("features:\n  - ipfsOnEthereumContracts\n", "");
    expect(parse(adjusted({ graft: { base, block: 5 } }, plain)).features).toEqual(["grafting"]);
  });

  it("gets a new graft in place of the old one", () => {
    const text = adjusted({ graft: { base, block: 6 }, removeGraft: true }, grafted);
    expect(parse(text).graft).toEqual({ base, block: 6 });
    expect(parse(text).features).toEqual(["ipfsOnEthereumContracts", "grafting"]);
  });

  it("loses its graft", () => {
    expect(parse(adjusted({ removeGraft: true }, grafted))).toEqual(parse(sampleManifest));
    const only = grafted.replace("  - ipfsOnEthereumContracts\n", "");
    expect(parse(adjusted({ removeGraft: true }, only)).features).toBeUndefined();
    expect(parse(grafted).graft).toBeDefined();
  });

  it("gets the given description", () => {
    const description = 'A: "long" one\n# not a comment: {}';
    const build = adjustBuild(sampleBuild(), { description });
    expect(build.manifest.description).toBe(description);
    expect(parse(manifestText(build)).description).toBe(description);
    expect(adjustBuild(build, { description })).toBe(build);
  });

  it("keeps comments, order and long lines", () => {
    const long = `an event ${"of many words ".repeat(20)}`.trim();
    const manifest = sampleManifest.replace(
      "handler: handleSwap",
      `handler: handleSwap\n          note: ${long}`,
    );
    const text = adjusted({ startBlock: 1, description: "x" }, manifest);
    expect(text).toContain(`note: ${long}\n`);
    expect(text).toContain("# made by hand");
    expect(text).toContain("file: ./schema.graphql # what there is");
    expect(text).toContain("PoolCreated(indexed address,indexed address,indexed uint24,int24,address)\n");
    expect(Object.keys(parse(text))).toEqual([...Object.keys(parse(sampleManifest)), "description"]);
  });

  it("keeps all other files, and leaves the given build untouched", () => {
    const build = sampleBuild();
    const before = manifestText(build);
    const after = adjustBuild(build, { startBlock: 1 });
    expect([...after.files.keys()]).toEqual([...build.files.keys()]);
    expect(after.files.get("schema.graphql")).toBe(build.files.get("schema.graphql"));
    expect(manifestText(build)).toBe(before);
    expect(after.manifest.dataSources[0]?.source).toMatchObject({ startBlock: 1 });
  });

  it("changes the values of aliases, each separately", () => {
    const shared = sampleManifest
      .replace("    source:\n      abi: Factory\n", "    source: &s\n      abi: Factory\n")
      .replace("    source:\n      abi: ERC20\n", "    source: *s\n")
      .replace("    source:\n      abi: Pool\n", "    source: *s\n");
    const { dataSources, templates } = parse(adjusted({ startBlock: 3 }, shared));
    expect(dataSources.map((source: { source: object }) => source.source)).toMatchObject([
      { startBlock: 3 },
      { startBlock: 3 },
    ]);
    expect(templates[0].source).toMatchObject({ startBlock: 12369621 });
  });
});
