import { describe, expect, it } from "vitest";
import { chains } from "../../src/chains/chains.js";
import { finalityOf, knownFinality } from "../../src/chains/finality.js";
import { chainNames } from "../../src/chains/find-chain.js";
import {
  chainOfBlockService,
  chainOfFeed,
  chainOfId,
  chainOfName,
  chainOfPrefix,
  finalityOfId,
} from "../../src/chains/look-up-chain.js";
import { rootExceptions } from "../../src/chains/root-exceptions.js";
import { blockServiceNames, feedAliases, feedNames, prefixes } from "../../src/chains/vocabularies.js";

/** Values that occur twice. */
function twice(values: readonly (string | undefined)[]): readonly string[] {
  const known = values.filter((value) => value !== undefined);
  return known.filter((value, index) => known.indexOf(value) !== index);
}

describe("the registry of chains", () => {
  it("names each chain once in each vocabulary", () => {
    expect(chains.length).toBeGreaterThan(140);
    expect(twice(chains.map(({ prefix }) => prefix))).toEqual([]);
    expect(twice(chains.map(({ network }) => network))).toEqual([]);
    expect(twice(chains.map(({ blockService }) => blockService))).toEqual([]);
    expect(twice(chains.map(({ feed }) => feed))).toEqual([]);
    expect(twice(chains.map(({ chainId }) => chainId))).toEqual([]);
  });

  it("describes networks only if graph-node knows them", () => {
    const named = [prefixes, blockServiceNames, feedNames, rootExceptions].flatMap((facts) => [
      ...facts.keys(),
    ]);
    expect(named.filter((name) => !chainNames.has(name))).toEqual([]);
    const feeds = new Set(chains.map(({ feed }) => feed));
    expect([...feedAliases.values()].filter((name) => !feeds.has(name))).toEqual([]);
  });

  it("includes every chain of the block service and of the feeds", () => {
    const [blockService, feeds] = [
      chains.flatMap(({ blockService: name }) => name ?? []).sort(),
      chains.flatMap(({ feed }) => feed ?? []).sort(),
    ];
    expect(blockService.join(" ")).toBe(
      "apechain arbitrum-sepolia base blast bsc celo ethereum flare gravity hyperevm linea matic optimism " +
        "plasma plume reya robinhood sei worldchain xai xlayer",
    );
    expect(feeds.join(" ")).toBe("arbitrum_one arc base bsc ethereum optimism polygon robinhood");
  });

  it("knows finality and receipts roots only for known chains", () => {
    const names = new Set(chains.map(({ network, prefix }) => network ?? prefix));
    expect([...knownFinality, ...rootExceptions.keys()].filter((name) => !names.has(name))).toEqual([]);
    expect(twice(knownFinality.filter((name) => finalityOf(name).by !== "unknown"))).toEqual([]);
  });

  it.each([
    ["1", { by: "tag", depth: 256 }],
    ["1088", { by: "tag", depth: 256 }],
    ["250", { by: "depth", depth: 256 }],
    ["30", { by: "depth", depth: 256 }],
    ["80094", { by: "unknown", depth: 256 }],
    ["1101", { by: "unknown", depth: 500 }],
    // A chain that the registry does not have.
    ["31337", { by: "unknown", depth: 256 }],
  ])("says how final blocks of chain %s are determined", (chainId, finality) => {
    expect(finalityOfId(chainId)).toEqual(finality);
  });

  it("says what receipts roots do not cover, and until which block", () => {
    const exceptionOf = (prefix: string): unknown => {
      const { kind, before } = chainOfPrefix(prefix)?.rootException ?? {};
      return [kind, before];
    };
    expect(exceptionOf("ethereum")).toEqual([undefined, undefined]);
    expect(exceptionOf("matic")).toEqual(["state-sync", 80_084_800]);
    expect(exceptionOf("polygon-amoy")).toEqual(["state-sync", 28_899_616]);
    expect(exceptionOf("mumbai")).toEqual(["state-sync", undefined]);
    expect(exceptionOf("celo")).toEqual(["block-receipt", 31_056_500]);
    expect(exceptionOf("celo-alfajores")).toEqual(["block-receipt", 26_384_000]);
    expect(exceptionOf("zksync")).toEqual(["absent", undefined]);
    expect(exceptionOf("sei-mainnet")).toEqual(["foreign", undefined]);
  });
});

describe("a chain", () => {
  it.each([
    ["ethereum", "mainnet", "ethereum", "ethereum"],
    ["matic", "matic", "matic", "polygon"],
    ["arbitrum", "arbitrum-one", undefined, "arbitrum_one"],
    ["optimism", "optimism", "optimism", "optimism"],
    ["base", "base", "base", "base"],
    ["bsc", "bsc", "bsc", "bsc"],
    ["arbitrum-sepolia", "arbitrum-sepolia", "arbitrum-sepolia", undefined],
    ["gnosis", "xdai", undefined, undefined],
    ["zksync", "zksync-era", undefined, undefined],
    ["worldchain", "worldchain", "worldchain", undefined],
    ["hyperevm", "hyper-evm", "hyperevm", undefined],
    ["robinhood", "robinhood", "robinhood", "robinhood"],
    ["arc", "arc", undefined, "arc"],
    ["plume", undefined, "plume", undefined],
    ["apex", undefined, undefined, undefined],
  ])("%s has its name in each vocabulary", (prefix, network, blockService, feed) => {
    const chain = chainOfPrefix(prefix);
    expect([chain?.network, chain?.blockService, chain?.feed]).toEqual([network, blockService, feed]);
  });

  it.each([
    ["mainnet", "ethereum"],
    ["Ethereum Mainnet", "ethereum"],
    ["polygon", "matic"],
    ["137", "matic"],
    ["0x89", "matic"],
    ["ARBITRUM-ONE", "arbitrum"],
    ["arbitrum_one", "arbitrum"],
    ["zksync", "zksync"],
    ["gnosis", "gnosis"],
    ["xdai", "gnosis"],
    ["scroll_mainnet", "scroll"],
    ["HyperEVM", "hyperevm"],
    ["480", "worldchain"],
    ["eip155:14", "flare"],
    ["arc", "arc"],
    ["31337", undefined],
    ["solana", undefined],
    ["constructor", undefined],
    ["", undefined],
  ])("is found by any name: %j is %j", (name, prefix) => {
    expect(chainOfName(name)?.prefix).toBe(prefix);
  });

  it.each([
    ["ethereum", "ethereum"],
    ["Mainnet", "ethereum"],
    ["Arbitrum-One", "arbitrum"],
    ["arbitrum", "arbitrum"],
    ["POLYGON", "matic"],
    ["matic", "matic"],
    ["gnosis", undefined],
  ])("is found by its name in the feeds: %j is %j", (name, prefix) => {
    expect(chainOfFeed(name)?.prefix).toBe(prefix);
  });

  it.each([
    ["matic", "matic"],
    ["sei", "sei-mainnet"],
    ["polygon", undefined],
    ["mainnet", undefined],
    ["Ethereum", undefined],
  ])("is found by its name in the block service: %j is %j", (name, prefix) => {
    expect(chainOfBlockService(name)?.prefix).toBe(prefix);
  });

  it("is found by its written prefix, and by its id", () => {
    expect(["mainnet", "Ethereum", "polygon"].map(chainOfPrefix)).toEqual([undefined, undefined, undefined]);
    // Datasets of this chain have two prefixes.
    expect(["scroll", "scroll_mainnet"].map((name) => chainOfPrefix(name)?.network)).toEqual([
      "scroll",
      "scroll",
    ]);
    expect(chainOfPrefix("arbitrum_sepolia")?.prefix).toBe("arbitrum-sepolia");
    expect(["8453", "70700"].map((id) => chainOfId(id)?.prefix)).toEqual(["base", "apex"]);
  });
});
