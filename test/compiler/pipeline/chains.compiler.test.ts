import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { build, compile } from "../../../src/machine/compiler/compile.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { event, fn } from "../abi/entries.js";

const abis = {
  Factory: [event("Created", "address token")],
  Token: [event("Transfer", "address from", "address to"), fn("symbol", "view", [], ["string"])],
};

const enrich = {
  handlers: {
    Transfer: {
      calls: { symbol: { name: "symbol", declared: true } },
      entities: { Symbol_: { "symbol string": "calls.symbol" } },
    },
  },
};

function instance(chain: string, number: number, abi = "Token"): object {
  const address = `0x${number.toString(16).padStart(40, "0")}`;
  return { abi, address, startBlock: number, chain, ...(abi === "Token" && { enrich }) };
}

const plain = (chain: string, number: number): object => ({ ...instance(chain, number), enrich: undefined });

const template = {
  abi: "Token",
  source: { abi: "Factory", eventSignature: "Created", addressParam: "token" },
  enrich,
};

async function made(
  instances: readonly object[],
  command: typeof compile | typeof build = compile,
): Promise<Compilation> {
  const used = JSON.stringify(instances);
  const needed = Object.fromEntries(Object.entries(abis).filter(([name]) => used.includes(`"${name}"`)));
  const config = JSON.stringify({ version: "1", name: "x/1", abis: needed, instances });
  const outcome = await command("c.json", memoryHost({ "c.json": config }));
  expect(outcome.diagnostics).toEqual([]);
  return outcome;
}

/** The files of some chains, and those shared by all. Files with a part for every chain are left out. */
function files({ files: all }: Compilation, ...chains: string[]): Record<string, string | Uint8Array> {
  const isListed = (path: string): boolean => /^(package\.json|README\.md|generated\/.*)$/.test(path);
  const isOther = (path: string): boolean => {
    const chain = /^(?:subgraph\.|build\/)([a-z]+)[./]/.exec(path)?.[1];
    return chain !== undefined && chain !== "yaml" && !chains.includes(chain);
  };
  return Object.fromEntries([...all].filter(([path]) => !isListed(path) && !isOther(path)));
}

describe("an additional chain", () => {
  const [mainnet, base, bsc] = [instance("mainnet", 1), instance("base", 2), instance("bsc", 3)];
  const factory = [instance("mainnet", 4, "Factory"), template];
  it.each<[string, object[], object[]]>([
    ["behind the others", [mainnet, base], [mainnet, base, bsc]],
    ["before the others", [mainnet, base], [bsc, mainnet, base]],
    ["between the others", [mainnet, base], [mainnet, bsc, base]],
    [
      "behind the others, with a template",
      [...factory, instance("base", 5, "Factory")],
      [...factory, instance("base", 5, "Factory"), bsc],
    ],
    [
      "before the others, with a template",
      [...factory, instance("base", 5, "Factory")],
      [bsc, ...factory, instance("base", 5, "Factory")],
    ],
  ])("leaves the files of the others unchanged when it is added %s", async (_, two, three) => {
    const before = files(await made(two), "mainnet", "base");
    const after = files(await made(three), "mainnet", "base");
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(["subgraph.mainnet.yaml", "subgraph.base.yaml"]),
    );
    expect(after).toEqual(before);
  });

  it("leaves their manifests unchanged even when its enrichment differs or is missing", async () => {
    const other = { ...bsc, enrich: { ...enrich, options: { debugging: true } } };
    const manifests = async (instances: readonly object[]): Promise<unknown[]> => {
      const all = files(await made(instances), "mainnet", "base");
      return [all["subgraph.mainnet.yaml"], all["subgraph.base.yaml"]];
    };
    const want = await manifests([mainnet, base]);
    expect(want[0]).toContain("handler: handleTokenTransferEnriched\n");
    expect(await manifests([plain("bsc", 3), mainnet, base])).toEqual(want);
    expect(await manifests([mainnet, base, other])).toEqual(want);
  });

  it("leaves their builds unchanged", async () => {
    const before = files(await made([mainnet, base], build), "mainnet", "base");
    const after = files(await made([bsc, mainnet, base], build), "mainnet", "base");
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(["build/mainnet/Token/Token.wasm", "build/base/subgraph.yaml"]),
    );
    expect(after).toEqual(before);
  });
});

describe("an unrelated instance", () => {
  const names = async (instances: readonly object[]): Promise<Record<string, string>> => {
    const { dataSources } = parse(String((await made(instances)).files.get("subgraph.yaml")));
    return Object.fromEntries(
      dataSources.map((one: { name: string; source: { address: string } }) => [one.source.address, one.name]),
    );
  };

  it("changes no name, wherever it is written", async () => {
    const tokens = [instance("mainnet", 1), instance("mainnet", 2), instance("mainnet", 3)];
    const other = instance("mainnet", 9, "Factory");
    const want = await names(tokens);
    for (const position of [0, 1, 2, 3]) {
      expect(await names(tokens.toSpliced(position, 0, other))).toMatchObject(want);
    }
  });
});

describe("500 instances of one ABI", () => {
  const many = Array.from({ length: 500 }, (_, index) => instance("mainnet", index + 1));

  it("have distinct safe names, and the schema and mappings of a single instance", async () => {
    const one = await made(many.slice(0, 1));
    const all = await made(many);
    const { dataSources } = parse(String(all.files.get("subgraph.yaml")));
    const names: string[] = dataSources.map(({ name }: { name: string }) => name);
    expect(names).toHaveLength(500);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(500);
    expect(names.filter((name) => !/^[A-Za-z][A-Za-z0-9_-]*$/.test(name))).toEqual([]);
    const shared = (compilation: Compilation): object =>
      Object.fromEntries([...compilation.files].filter(([path]) => /^(src\/|schema)/.test(path)));
    expect(Object.keys(shared(one))).toEqual(["schema.graphql", "src/mapping.ts", "src/token.ts"]);
    expect(shared(all)).toEqual(shared(one));
  });

  it("have the same names as in a smaller configuration", async () => {
    const names = async (instances: readonly object[]): Promise<string[]> => {
      const { dataSources } = parse(String((await made(instances)).files.get("subgraph.yaml")));
      return dataSources.map(({ name }: { name: string }) => name);
    };
    expect((await names(many)).slice(0, 100)).toEqual(await names(many.slice(0, 100)));
  });
});
