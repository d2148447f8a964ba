import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Choice, Prompts } from "../../../src/cli/terminal/prompts/prompts.js";
import { Interrupted } from "../../../src/cli/terminal/prompts/prompts.js";
import { event } from "../../compiler/abi/entries.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const [opened, limited, paused] = [
  event("Opened", "address owner"),
  event("LimitChanged", "uint256 limit"),
  event("Paused", "bool paused"),
];

/** The files of a real Foundry project, with its records. */
function project(name: string): Record<string, string> {
  const path = new URL(`../../support/foundry/records/${name}.json`, import.meta.url);
  const { files } = JSON.parse(readFileSync(path, "utf8"));
  const artifact = (...abi: readonly object[]): string =>
    JSON.stringify({ abi, bytecode: { object: "0x60" } });
  return {
    "out/Contracts.sol/Treasury.json": artifact(opened, limited),
    "out/Contracts.sol/TreasuryV2.json": artifact(limited, paused),
    ...Object.fromEntries(Object.entries(files).map(([file, json]) => [file, JSON.stringify(json)])),
  };
}

interface Proxy {
  readonly transactions: readonly { readonly contractName: string; readonly contractAddress: string }[];
}

/** The addresses of the proxies that the records create or call, by the order of the files. */
function proxiesIn(files: Readonly<Record<string, string>>): readonly string[] {
  const runs = Object.entries(files).filter(([path]) => path.startsWith("broadcast/"));
  const all = runs.flatMap(([, text]) => (JSON.parse(text) as Proxy).transactions);
  const own = all.filter(({ contractName }) => contractName === "ERC1967Proxy");
  return [...new Set(own.map(({ contractAddress }) => contractAddress))];
}

/** Runs init. @returns the instance that it wrote as well */
async function init(
  files: Readonly<Record<string, string>>,
  options: string,
): Promise<Ran & { readonly instance: { readonly abi: string; readonly address: string } }> {
  const cwd = workplace(files);
  const ran = await graphloom(cwd, `init made.json ${options} --yes`);
  expect(ran.code, ran.err).toBe(0);
  return { ...ran, instance: JSON.parse(readFileSync(join(cwd, "made.json"), "utf8")).instances[0] };
}

/** The labels and hints of the contracts that the guided start offers. */
async function offered(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const shown: Choice[] = [];
  const prompts = {
    choose: async (_: string, choices: readonly Choice[]) => {
      shown.push(...choices);
      throw new Interrupted();
    },
  } as unknown as Prompts;
  await graphloom(workplace(files), "init", { prompts });
  return shown.map(({ label, hint }) => `${label}: ${hint}`);
}

describe("init for an upgraded proxy in Foundry's records", () => {
  it.each([
    ["upgraded-by-the-same-script", "Treasury"],
    ["upgraded-by-the-same-script", "TreasuryV2"],
    ["upgraded-by-another-function", "Treasury"],
    ["upgraded-by-another-function", "TreasuryV2"],
    ["upgraded-by-another-script", "Treasury"],
    ["upgraded-by-another-script", "TreasuryV2"],
  ])("takes the proxy and the code that it runs now: %s, asked for %s", async (name, contract) => {
    const files = project(name);
    const [proxy = ""] = proxiesIn(files);
    const { instance, err } = await init(files, `--contract-name ${contract}`);
    expect(instance).toMatchObject({ abi: "TreasuryV2", address: proxy });
    expect(err).toContain(`The proxy at ${proxy} ran Treasury and now runs TreasuryV2.`);
    expect(err).toContain("Only Treasury has Opened(address).");
  });

  it("takes the address of the abandoned implementation if it is given, and names the proxy", async () => {
    const files = project("upgraded-by-the-same-script");
    const [proxy = ""] = proxiesIn(files);
    const record = Object.values(files).find((text) => text.includes('"Treasury"')) ?? "";
    const all = (JSON.parse(record) as Proxy).transactions;
    const code = all.find(({ contractName }) => contractName === "Treasury")?.contractAddress ?? "";
    const { instance, err } = await init(files, `--contract-name Treasury --contract ${code}`);
    expect(instance).toMatchObject({ abi: "Treasury", address: code });
    expect(err).toContain(`ERC1967Proxy at ${proxy} is a proxy that ran ${code} until it was upgraded.`);
    expect(err).toContain(`To index them, pass that address: --contract ${proxy}`);
  });

  it("offers implementations last, the abandoned ones at the end, each with its role", async () => {
    const rows = await offered(project("upgraded-by-the-same-script"));
    const roles = rows
      .filter((row) => row.includes("broadcast/"))
      .map((row) => /abandoned implementation|implementation behind|proxy/.exec(row)?.[0] ?? "none");
    expect(roles.indexOf("proxy")).toBeLessThan(roles.indexOf("implementation behind"));
    expect(roles.slice(-2)).toEqual(["implementation behind", "abandoned implementation"]);
    expect(rows.filter((row) => row.startsWith("TreasuryV2 at "))).toHaveLength(2);
  });
});

describe("init for a contract that a script deployed several times", () => {
  it("takes the latest deployment and names the others", async () => {
    const files = project("sent-at-once");
    const proxies = proxiesIn(files);
    const latest = JSON.parse(files["broadcast/Deploy.s.sol/31337/run-latest.json"] ?? "") as Proxy;
    const own = latest.transactions.find(({ contractName }) => contractName === "ERC1967Proxy");
    const { instance, err } = await init(files, "--contract-name Treasury");
    expect(instance.address).toBe(own?.contractAddress);
    expect(proxies).toHaveLength(3);
    for (const proxy of proxies.filter((one) => one !== instance.address)) expect(err).toContain(proxy);
    const rows = (await offered(files)).filter(
      (row) => row.startsWith("Treasury at ") && row.includes("proxy"),
    );
    expect(rows.map((row) => row.includes("an earlier deployment"))).toEqual([false, true, true]);
  });
});
