import { describe, expect, it } from "vitest";
import { RecordedProxies } from "../../src/discovery/recorded-proxies.js";

const upgraded = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b";
const beaconUpgraded = "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e";
const [proxy, first, second, beacon] = ["a1", "b2", "c3", "d4"].map((digits) => `0x${digits.repeat(20)}`);

function word(address = ""): string {
  return `0x${"0".repeat(24)}${address.slice(2)}`;
}

function receipt(blockNumber: string, address: unknown, topics: unknown): Record<string, unknown> {
  return { blockNumber, logs: [{ address, topics, data: "0x" }] };
}

describe("the recorded implementation of a proxy", () => {
  it("is the latest upgrade, in any order of files", () => {
    const proxies = new RecordedProxies();
    proxies.readReceipt(receipt("0x9", proxy?.toUpperCase().replace("0X", "0x"), [upgraded, word(second)]));
    proxies.readReceipt(receipt("0x5", proxy, [upgraded, word(first)]));
    expect(proxies.implementationOf(proxy ?? "")).toBe(second);
    expect(proxies.implementationOf(first ?? "")).toBeUndefined();
  });

  it("is found through its beacon, even from the beacon's constructor alone", () => {
    const proxies = new RecordedProxies();
    proxies.readReceipt(receipt("0x5", proxy, [beaconUpgraded, word(beacon)]));
    expect(proxies.implementationOf(proxy ?? "")).toBe(beacon);
    proxies.addCreation({ address: first ?? "", name: "Vault", arguments: null });
    proxies.addCreation({ address: beacon ?? "", name: "Lighthouse", arguments: [first] });
    expect(proxies.implementationOf(proxy ?? "")).toBe(first);
    proxies.readReceipt(receipt("0x6", beacon, [upgraded, word(second)]));
    expect(proxies.implementationOf(proxy ?? "")).toBe(second);
  });

  it.each([
    ["ERC1967Proxy", "b2"],
    ["TransparentUpgradeableProxy", "b2"],
    ["ERC1967", "b2"],
    ["ProxyAdmin", undefined],
    ["ProxyFactory", undefined],
    ["Vault", undefined],
  ])("is the first constructor argument when a proxy has no log: %s", (name, digits) => {
    const proxies = new RecordedProxies();
    proxies.addCreation({ address: first ?? "", name: "Vault", arguments: null });
    proxies.addCreation({ address: proxy ?? "", name, arguments: [first, "0x"] });
    expect(proxies.implementationOf(proxy ?? "")).toBe(digits === undefined ? undefined : first);
  });

  it("is not found in a cycle or in malicious logs", () => {
    const proxies = new RecordedProxies();
    proxies.readReceipt(receipt("0x5", proxy, [upgraded, word(first)]));
    proxies.readReceipt(receipt("0x5", first, [upgraded, word(proxy)]));
    expect(proxies.implementationOf(proxy ?? "")).toBe(first);
    const odd = new RecordedProxies();
    for (const topics of [[upgraded], [upgraded, "0x12"], [upgraded, word(`0x${"0".repeat(40)}`)], 5])
      odd.readReceipt(receipt("0x5", proxy, topics));
    odd.readReceipt({ blockNumber: {}, logs: [null, 5, { address: "x", topics: [upgraded, word(first)] }] });
    expect(odd.implementationOf(proxy ?? "")).toBeUndefined();
  });
});
