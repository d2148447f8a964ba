import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findProjects } from "../../src/discovery/find-projects.js";
import { createNodeHost } from "../../src/machine/files/host.js";
import { graphloom, workplace } from "../cli/harness.js";
import { Anvil, useAnvil } from "../support/chain/anvil.js";
import { useFolder } from "../support/folder.js";
import { ForgeProject, forgeMissing } from "../support/foundry/forge.js";
import { until } from "../support/until.js";

/** UPDATE_GOLDEN=1 keeps the records of this run for the tests of machines without forge. */
const update = process.env.UPDATE_GOLDEN === "1";
const kept = new URL("../support/foundry/records/", import.meta.url);

if (forgeMissing !== undefined) console.warn(`The tests of real Foundry runs are skipped: ${forgeMissing}`);

describe.skipIf(forgeMissing !== undefined)("the start blocks from the records of forge", () => {
  const chain = useAnvil();
  const second = useAnvil(["--chain-id", "11155111"]);
  const built = useFolder();
  let template: ForgeProject;

  beforeAll(() => {
    template = ForgeProject.build(built);
  });

  /**
   * Compares the blocks in the records with the chains, and for the last creation of each contract also the block that
   * `init` writes with a node.
   * @param isPartial whether the records may lack blocks or have earlier ones
   */
  async function expectBlocks(
    { folder }: ForgeProject,
    name: string,
    { isPartial = false, local = chain() }: { readonly isPartial?: boolean; readonly local?: Anvil } = {},
  ): Promise<void> {
    const { deployments } = await findProjects(createNodeHost({ cwd: folder }));
    const anvils = new Map([
      ["localhost", local],
      ["sepolia", second()],
    ]);
    const created: Record<string, number | null> = {};
    const last = new Map<string, readonly [line: string, block: number]>();
    for (const { contract, address, network, startBlock } of deployments) {
      const anvil = anvils.get(network);
      if (!anvil) throw new Error(`there is no ${network}`);
      const block = await creationOf(anvil, address);
      created[`${network} ${address}`] = block ?? null;
      const isEarly = isPartial && (startBlock ?? 0) <= (block ?? Number.POSITIVE_INFINITY);
      if (!isEarly) expect([contract, address, startBlock]).toEqual([contract, address, block]);
      if (block === undefined) continue;
      const line = `--contract-name ${contract} --contract ${address} --network ${network} --rpc ${anvil.url}`;
      last.set(`${network} ${contract}`, [line, block]);
    }
    for (const [line, startBlock] of last.values()) {
      const { code, err } = await graphloom(folder, `init made.json ${line} --force --yes`);
      expect(code, err).toBe(0);
      const made = JSON.parse(readFileSync(join(folder, "made.json"), "utf8"));
      expect([line, made.instances[0]]).toMatchObject([line, { startBlock }]);
    }
    const files = broadcasts(folder);
    for (const [network, address] of creationsIn(files)) {
      const anvil = anvils.get(network);
      if (anvil && (await creationOf(anvil, address)) !== undefined)
        expect(Object.keys(created)).toContain(`${network} ${address}`);
    }
    if (update) writeFileSync(new URL(`${name}.json`, kept), keptText({ created, files }));
  }

  const project = (): ForgeProject => template.copyTo(workplace());
  const node = (): readonly string[] => ["--rpc-url", chain().url];

  async function done(running: ReturnType<ForgeProject["broadcast"]>): Promise<void> {
    const { isDone, output } = await running;
    expect(isDone, output).toBe(true);
  }

  /** Runs the deployment. @returns the address of the proxy */
  async function deploy(
    given: ForgeProject,
    options: readonly string[] = [],
    { url } = chain(),
  ): Promise<string> {
    await done(given.broadcast("Deploy.s.sol:Deploy", ["--rpc-url", url, ...options]));
    const { transactions } = latest(given, "Deploy.s.sol/31337");
    return transactions.find(({ contractName }) => contractName === "ERC1967Proxy")?.contractAddress ?? "";
  }

  it("are the blocks of the creations, even if forge wrote the hashes in a different order", async () => {
    const given = project();
    for (let run = 0; run < 3; run++) await deploy(given);
    await expectBlocks(given, "sent-at-once");
  });

  it("are the blocks of the creations with --slow", async () => {
    const given = project();
    await deploy(given, ["--slow"]);
    await expectBlocks(given, "slow");
  });

  it.each([
    ["another script", "upgraded-by-another-script", "Upgrade.s.sol:Upgrade", []],
    ["the same script", "upgraded-by-the-same-script", "Deploy.s.sol:Upgrade", []],
    ["another function", "upgraded-by-another-function", "Deploy.s.sol:Upgrade", ["--sig", "again()"]],
  ])("are the blocks of the creations after an upgrade by %s", async (_, name, script, options) => {
    const given = project();
    const PROXY = await deploy(given);
    await done(given.broadcast(script, [...node(), ...options], { PROXY }));
    await expectBlocks(given, name);
    const { deployments } = await findProjects(createNodeHost({ cwd: given.folder }));
    const proxies = deployments.filter(({ implementation }) => implementation !== undefined);
    const code = deployments.find(({ contract }) => contract === "TreasuryV2")?.address;
    expect(proxies).toMatchObject([{ address: PROXY, implementation: code }]);
  });

  it("are absent for what a failed run did not create, and right for the rest", async () => {
    const given = project();
    const { isDone } = await given.broadcast("Deploy.s.sol:Failing", node());
    expect(isDone).toBe(false);
    await expectBlocks(given, "failed");
  });

  it("are right after a run that was killed, and after it was resumed", async () => {
    const other = await Anvil.start();
    onTestFinished(() => other.stop());
    // At the same time, because forge mostly waits.
    await Promise.all([interrupted(chain(), []), interrupted(other, ["--slow"])]);
  });

  /** Kills a run on a chain, and resumes it. */
  async function interrupted(local: Anvil, mode: readonly string[]): Promise<void> {
    const given = project();
    const options = ["--rpc-url", local.url, ...mode];
    const killing = new AbortController();
    await local.setAutomine(false);
    const running = given.broadcast("Deploy.s.sol:Plain", options, {}, killing.signal);
    try {
      const mark = mode.length === 0 ? 4 : 1;
      await until(() => pendingOf(given) === mark);
      if (mode.length > 0) {
        await local.mine(1);
        await until(() => latest(given, "Deploy.s.sol/31337").receipts.length === 1);
        await until(() => pendingOf(given) === 1);
      }
    } finally {
      killing.abort();
      await running;
      await local.setAutomine(true);
    }
    await local.mine(1);
    await expectBlocks(given, `killed${mode.join("")}`, { isPartial: true, local });
    await done(given.broadcast("Deploy.s.sol:Plain", [...options, "--resume"]));
    await expectBlocks(given, `resumed${mode.join("")}`, { local });
  }

  it("belong to each chain when one script deploys to several", async () => {
    const given = project();
    const env = { FIRST: chain().url, SECOND: second().url };
    await done(given.broadcast("Deploy.s.sol:Several", ["--multi"], env));
    await expectBlocks(given, "several-chains");
  });

  it("are in the folder that foundry.toml names", async () => {
    const given = project();
    appendFileSync(join(given.folder, "foundry.toml"), 'broadcast = "records"\nout = "artifacts-forge"\n');
    renameSync(join(given.folder, "out"), join(given.folder, "artifacts-forge"));
    await done(given.broadcast("Deploy.s.sol:Deploy", node()));
    const { contracts, deployments } = await findProjects(createNodeHost({ cwd: given.folder }));
    expect(contracts.map(({ path }) => path)).toContain("artifacts-forge/Contracts.sol/Treasury.json");
    expect(deployments.length).toBeGreaterThan(2);
    for (const { path, address, startBlock } of deployments) {
      expect(path).toMatch(/^records\/Deploy\.s\.sol\//);
      expect(startBlock).toBe(await creationOf(chain(), address));
    }
  });

  it("forget a local chain that was started again", async () => {
    const given = project();
    const first = await Anvil.start();
    const PROXY = await deploy(given, [], first);
    await done(given.broadcast("Upgrade.s.sol:Upgrade", ["--rpc-url", first.url], { PROXY }));
    await first.stop();
    const again = await Anvil.start();
    try {
      await again.mine(3);
      expect(await deploy(given, [], again)).toBe(PROXY);
      await expectBlocks(given, "started-again", { local: again });
    } finally {
      await again.stop();
    }
  });
});

/** A file of forge: of one run, or of a run on several chains. */
type Json = Run & { readonly deployments?: readonly Run[] };

interface Run {
  readonly chain: number;
  readonly transactions: readonly {
    readonly transactionType: string;
    readonly contractName: string;
    readonly contractAddress: string;
    readonly additionalContracts: readonly { readonly address: string }[];
  }[];
  readonly receipts: readonly unknown[];
  readonly pending: readonly unknown[];
}

function latest({ folder }: ForgeProject, script: string): Run {
  return JSON.parse(readFileSync(join(folder, `broadcast/${script}/run-latest.json`), "utf8"));
}

/** The number of transactions without a receipt; forge may not have written the file yet. */
function pendingOf(given: ForgeProject): number {
  const path = join(given.folder, "broadcast/Deploy.s.sol/31337/run-latest.json");
  return existsSync(path) ? latest(given, "Deploy.s.sol/31337").pending.length : 0;
}

/** The block in which an address got its code, which stays. */
async function creationOf(anvil: Anvil, address: string): Promise<number | undefined> {
  const hasCode = async (block: number): Promise<boolean> =>
    (await anvil.rpc("eth_getCode", address, `0x${block.toString(16)}`)) !== "0x";
  let [before, after] = [-1, await anvil.blockNumber()];
  if (!(await hasCode(after))) return undefined;
  while (after - before > 1) {
    const middle = (before + after) >> 1;
    if (await hasCode(middle)) after = middle;
    else before = middle;
  }
  return after;
}

/** The records in a folder, by their paths in it. */
function broadcasts(folder: string): Readonly<Record<string, Json>> {
  const paths = readdirSync(join(folder, "broadcast"), { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => path.endsWith(".json")).sort();
  return Object.fromEntries(
    files.map((path) => [
      `broadcast/${path}`,
      JSON.parse(readFileSync(join(folder, "broadcast", path), "utf8")),
    ]),
  );
}

/** The contracts that the records say were created, with their networks. */
function creationsIn(files: Readonly<Record<string, Json>>): readonly (readonly [string, string])[] {
  const runs = Object.values(files).flatMap((file) => file.deployments ?? [file]);
  return runs.flatMap(({ chain, transactions }) =>
    transactions
      .flatMap(({ transactionType, contractAddress, additionalContracts }) => [
        ...(transactionType.startsWith("CREATE") ? [contractAddress] : []),
        ...additionalContracts.map(({ address }) => address),
      ])
      .map((address) => [chain === 31337 ? "localhost" : "sepolia", address] as const),
  );
}

/** The text of a kept record, one file on a line. Leaves out what is long and never read. */
function keptText({ created, files }: Readonly<Record<"created" | "files", object>>): string {
  const short = (key: string, value: unknown): unknown =>
    key === "input" || key === "logsBloom" ? "0x" : value;
  const lines = Object.entries(files).map(([path, file]) => `"${path}": ${JSON.stringify(file, short)}`);
  return `{ "created": ${JSON.stringify(created)}, "files": {\n${lines.join(",\n")}\n} }\n`;
}
