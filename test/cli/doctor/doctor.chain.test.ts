import { beforeAll, describe, expect, it } from "vitest";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { blocksOfNode } from "../../support/portal/blocks-of-node.js";
import { type PortalOptions, type ServedBlock, startPortal } from "../../support/portal/played-portal.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const anvil = useAnvil(["--chain-id", "1"]);
let token: Contract;
let tip: ServedBlock;

beforeAll(async () => {
  token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
  for (const amount of [1, 2, 3]) await anvil().send(token, "transfer", [anvil().account(2), amount]);
  await anvil().mine(20);
  tip = await blocksOfNode(anvil().client, await anvil().blockNumber());
});

/** Checks a played service. `NODE` in the options stands for the node. */
async function doctor(options: string, played: Partial<PortalOptions> = {}): Promise<Ran> {
  const { url } = await startPortal(tip, played);
  const line = `doctor --source ${played.kind ?? "portal"}=${url}/key-in-path ${options}`;
  return graphloom(workplace(), line.replace("NODE", anvil().url));
}

describe("doctor --source", () => {
  it.each(["portal", "hypersync"] as const)("finds nothing wrong with a good service: %s", async (kind) => {
    const { code, out, err } = await doctor("--rpc NODE", { kind });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^${kind}=http://127\\.0\\.0\\.1:\\d+, checked by graphloom `));
    expect(out).not.toMatch(/^(failed|note)/m);
    expect(out).toContain(`ok      its last final block is ${tip.number}\n`);
    expect(out).toContain("ok      the headers of blocks ");
    expect(out).toMatch(/with [34] logs of transfers/);
    expect(out).toMatch(/^ok {6}the logs of blocks \d+ to \d+ equal the list of the node$/m);
  });

  it("says that nothing was compared if there is no node", async () => {
    const { code, out } = await doctor("");
    expect(code).toBe(0);
    expect(out).toContain("Nothing was compared with a node. Pass one of the same chain: --rpc <url>");
  });

  it.each([
    ["leaves out a log", { omits: 1 }, /^failed {2}logs of blocks .* 3 are missing|[1-9] are missing/m],
    [
      "alters a log",
      { alters: 1, altered: ["the data of a log"] },
      /^failed {2}logs of blocks .* are not on it/m,
    ],
    ["is of another chain", { forksAt: 2 }, /^failed {2}it differs from the node in block/m],
    ["begins after its end", { start: 1_000 }, /^note {4}the source .* it begins at block 1000/m],
  ] as const)("fails with what to report if a service %s", async (_, played, line) => {
    const { code, out } = await doctor("--rpc NODE", played);
    expect(code).toBe(3);
    expect(out).toMatch(line);
    expect(out).toContain("If this is a fault of graphloom, report all these lines.");
    expect(out).not.toContain("key-in-path");
  });

  it("notes headers that prove nothing", async () => {
    const { code, out } = await doctor("--rpc NODE", {
      unknownFields: ["parentBeaconBlockRoot", "requestsHash"],
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^note {4}\d+ of \d+ headers of blocks .* do not have the hashes of their blocks/m);
  });

  it("prints its findings for programs", async () => {
    const { code, out } = await doctor("--rpc NODE --output json", { omits: 1 });
    expect(code).toBe(3);
    const { source, findings } = JSON.parse(out) as {
      readonly source: string;
      readonly findings: readonly { readonly outcome: string }[];
    };
    expect(source).toMatch(/^portal=http:\/\/127\.0\.0\.1:\d+$/);
    expect(findings.some(({ outcome }) => outcome === "failed")).toBe(true);
  });

  it("fails if the node does not answer", async () => {
    const { code, out } = await doctor("--rpc http://127.0.0.1:1");
    expect(code).toBe(3);
    expect(out).toMatch(/^failed {2}the node: /m);
  });

  it.each([
    ["portal", "say which chain, or pass an address: <chain>=portal, or portal=<url>."],
    ["localnet=portal", "no public portal of localnet is known"],
    ["portal=ftp://x", "the address must start with http:// or https://"],
    ["https://portal.example", "The kinds of sources are portal and hypersync."],
  ])("refuses %s", async (given, message) => {
    const { code, err } = await graphloom(workplace(), `doctor --source ${given}`);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
