import { expect, it } from "vitest";
import { findSources } from "../../../src/cli/reader/find-sources.js";
import { UsageError } from "../../../src/cli/terminal/usage/usage-error.js";

const chains = ["mainnet", "arbitrum-one"];

function found(given: readonly string[], known = chains, env: Record<string, string> = {}): unknown {
  return Object.fromEntries(findSources(given, known, env));
}

it("sources are given as <chain>=<kind>=<url>, without the chain if there is one", () => {
  expect(found(["mainnet=portal=https://h/d?key=a=b", "arbitrum-one=hypersync=http://h"])).toEqual({
    mainnet: { kind: "portal", url: "https://h/d?key=a=b" },
    "arbitrum-one": { kind: "hypersync", url: "http://h" },
  });
  expect(found(["portal=http://h"], ["mainnet"])).toEqual({
    mainnet: { kind: "portal", url: "http://h" },
  });
});

it("sources without an address are the public services of their chain", () => {
  expect(
    found(["mainnet=portal", "arbitrum=hypersync"], chains, {
      ENVIO_API_TOKEN: "t",
    }),
  ).toEqual({
    mainnet: {
      kind: "portal",
      url: "https://portal.sqd.dev/datasets/ethereum-mainnet",
    },
    "arbitrum-one": {
      kind: "hypersync",
      url: "https://42161.hypersync.xyz",
      token: "t",
    },
  });
  expect(found(["portal"], ["base"])).toEqual({
    base: {
      kind: "portal",
      url: "https://portal.sqd.dev/datasets/base-mainnet",
    },
  });
});

it.each([
  [["portal"], "say which chain it serves: <chain>=portal=<url>. Chains: mainnet, arbitrum-one"],
  [["https://h"], "pass <chain>=<kind>=<url>. The kinds of sources are portal and hypersync."],
  [["mainnet=https://h"], "pass <chain>=<kind>=<url>"],
  [["mainnet=hyper=https://h"], "pass <chain>=<kind>=<url>"],
  [["sepolia=portal"], 'unknown chain "sepolia"'],
  [["mainnet=portal=ftp://secret"], "the address for mainnet must start with http:// or https://"],
  [["mainnet=portal", "mainnet=hypersync"], "--source is given twice for mainnet."],
])("--source %s is refused with the way out", (given, message) => {
  const find = (): unknown => found(given);
  expect(find).toThrow(UsageError);
  expect(find).toThrow(message);
  expect(find).not.toThrow("secret");
});

it("a network without a known public service needs an address", () => {
  expect(() => found(["portal"], ["localnet"])).toThrow(
    "--source: no public portal of localnet is known. Pass its address: localnet=portal=<url>",
  );
});
