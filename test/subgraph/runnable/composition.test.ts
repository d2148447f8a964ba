import { describe, expect, test } from "vitest";
import { checkSourceSubgraphs } from "../../../src/subgraph/runnable/check-sources.js";
import { buildWarnings, judgeBuild } from "../../../src/subgraph/runnable/judge-build.js";
import { ReadBuild } from "../../../src/subgraph/runnable/read-build.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { deploymentOf, filesOf } from "../../runtime/composition/recorded-compositions.js";

const source = deploymentOf("S1");

interface Source {
  network?: unknown;
  source: Record<string, unknown>;
  mapping: { entities?: unknown; handlers?: { calls?: unknown }[] };
}
type Manifest = Record<string, unknown> & { readonly dataSources: unknown[] };

/** Changes a manifest as data. */
function changed(change: (manifest: Manifest, source: Source) => unknown): (text: string) => string {
  return (text) => {
    const manifest: Manifest & { readonly dataSources: readonly [Source] } = JSON.parse(text);
    change(manifest, manifest.dataSources[0]);
    return JSON.stringify(manifest);
  };
}

const handling = (entity: string) =>
  changed((_, { mapping }) => Object.assign(mapping, { handlers: [{ entity, handler: "handleA" }] }));
const same = changed(() => undefined);
const invalid = "data source subgraph is invalid: ";
const unresolved = "failed to resolve data source at index 0: ";

describe("the manifest of a composed subgraph", () => {
  test("names deployments, their entities and the handlers for them", () => {
    const { dataSources } = readRunnable(filesOf("C2"));
    expect(dataSources.map(({ subgraph, startBlock }) => [subgraph?.deployment, startBlock])).toEqual([
      [deploymentOf("S2"), 27],
      [source, 29],
    ]);
    expect(dataSources[0]?.subgraph?.handlers[0]).toEqual({ entity: "A", handler: "handleA", calls: [] });
  });

  test("a template for contracts is accepted with a warning that it never runs, and one for files without", () => {
    const contract = { ...JSON.parse(sourceText).dataSources[0], name: "Pool", source: { abi: "A" } };
    const { subgraph: _, ...mapping } = contract.mapping;
    const file = {
      kind: "file/ipfs",
      name: "File",
      network: "mainnet",
      mapping: { ...mapping, handler: "handleA", entities: ["Log"], eventHandlers: undefined },
    };
    const files = filesOf(
      "C1",
      changed((manifest) => Object.assign(manifest, { templates: [contract, file] })),
    );
    const build = ReadBuild.of(files);
    judgeBuild(build);
    expect(buildWarnings(build)).toEqual([
      expect.stringMatching(
        /^templates\[0\]\.kind is for contracts: its handlers never run, because a subgraph with other subgraphs as sources hears nothing of the chain/,
      ),
    ]);
  });

  test.each<[string, (manifest: Manifest, source: Source) => unknown]>([
    [
      `${invalid}Subgraph datasources are not supported prior to spec version 1.3.0`,
      (manifest) => Object.assign(manifest, { specVersion: "1.2.0" }),
    ],
    [
      `${invalid}Multiple subgraph datasources cannot use the same source subgraph ${source}`,
      ({ dataSources }, first) => dataSources.push(first),
    ],
    [
      `${invalid}Cannot have more than 5 subgraph datasources`,
      ({ dataSources }, first) => dataSources.push(first, first, first, first, first),
    ],
    [
      `${invalid}Subgraph datasources cannot be used alongside onchain datasources`,
      ({ dataSources }) => dataSources.unshift(JSON.parse(sourceText).dataSources[0]),
    ],
    [
      `${unresolved}Cannot resolve declarative calls without ABI`,
      (_, { mapping }) =>
        Object.assign(mapping.handlers?.[0] ?? {}, { calls: { c: "A[entity.b].f(entity.id)" } }),
    ],
    [
      "dataSources[0].source.address is not-a-hash, which is not the hash of a deployment: Qm… (line 1)",
      (_, first) => Object.assign(first.source, { address: "not-a-hash" }),
    ],
    [
      "dataSources[1].network is missing (line 1)",
      ({ dataSources }, { mapping }) =>
        dataSources.push({ kind: "subgraph", name: "S", source: { address: deploymentOf("S2") }, mapping }),
    ],
    ["dataSources[0].mapping.entities is missing (line 1)", (_, { mapping }) => delete mapping.entities],
    ["dataSources[0].mapping.handlers is missing (line 1)", (_, { mapping }) => delete mapping.handlers],
    [
      "templates[0].kind is subgraph, which is only allowed in data sources (line 1)",
      (manifest, first) => Object.assign(manifest, { templates: [first] }),
    ],
  ])("is refused: %s", (message, change) => {
    expect(() => readRunnable(filesOf("C1", changed(change)))).toThrow(expect.objectContaining({ message }));
  });

  test("may have an end block, which has no effect, and no start block", () => {
    const built = readRunnable(
      filesOf(
        "C1",
        changed((_, { source }) => Object.assign(source, { endBlock: 5, startBlock: undefined })),
      ),
    );
    expect(built.dataSources[0]).toMatchObject({ startBlock: 0 });
    expect(built.dataSources[0]).not.toHaveProperty("endBlock");
  });
});

const sourceText = String(filesOf("S1").files.get("subgraph.yaml"));

describe("the source of a composed subgraph", () => {
  const check = async (own: (text: string) => string, ofSource: (text: string) => string = same) => {
    const found = ReadBuild.of(filesOf("S1", ofSource));
    const base = ReadBuild.of(
      filesOf(
        "S1",
        changed((manifest) => Object.assign(manifest, { specVersion: "1.2.0" })),
      ),
    );
    await checkSourceSubgraphs(ReadBuild.of(filesOf("C1", own)), async (deployment) =>
      deployment === source ? found : deployment === "QmBase" ? base : undefined,
    );
  };

  test.each(["A", "T", "Skip"])("may have its entities of the immutable type %s handled", async (type) => {
    await expect(check(handling(type))).resolves.toBeUndefined();
  });

  test.each<[string, (text: string) => string, ((text: string) => string)?]>([
    ["Entity M is not immutable and cannot be used as a mapping entity", handling("M")],
    ["Entity Thing is an interface and cannot be used as a mapping entity", handling("Thing")],
    ["Entity TS is an aggregation and cannot be used as a mapping entity", handling("TS")],
    ["Entity Zzz not found in source manifest", handling("Zzz")],
    ["Entity Kind not found in source manifest", handling("Kind")],
    [
      `Source subgraph [${source}] manifest spec version 1.2.0 is not supported, minimum supported version is 1.3.0`,
      same,
      changed((manifest) => Object.assign(manifest, { specVersion: "1.2.0" })),
    ],
    [
      `Subgraph with a spec version 1.2.0 is not supported for a subgraph source, minimum supported version is 1.3.0. Graft chain: ${source} -> QmBase`,
      same,
      changed((manifest) =>
        Object.assign(manifest, { features: ["grafting"], graft: { base: "QmBase", block: 1 } }),
      ),
    ],
    [
      `Source subgraph [${source}] is on sepolia, not on mainnet`,
      same,
      (text) => text.replace("mainnet", "sepolia"),
    ],
    [
      `Failed to resolve source subgraph [${deploymentOf("S2")}] manifest: no version in this project shows that deployment. Deploy it first`,
      (text) => text.replace(source, deploymentOf("S2")),
    ],
  ])("is refused: %s", async (why, own, ofSource) => {
    await expect(check(own, ofSource)).rejects.toThrow(
      expect.objectContaining({ message: `${unresolved}${why}` }),
    );
  });

  test("is refused if it is composed itself", async () => {
    const composed = ReadBuild.of(filesOf("C1"));
    await expect(checkSourceSubgraphs(composed, async () => composed)).rejects.toThrow(
      `${unresolved}Nested subgraph data sources [S0] are not supported.`,
    );
  });
});
