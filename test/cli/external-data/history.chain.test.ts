import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { blocksOfNode } from "../../support/portal/blocks-of-node.js";
import {
  type PlayedPortal,
  type PortalOptions,
  type ServedBlock,
  startPortal,
} from "../../support/portal/played-portal.js";
import { graphloom, type Ran, workplace } from "../harness.js";
import { moverContract } from "./mover.js";

const anvil = useAnvil(["--chain-id", "1"]);
let mover: Contract;
let tip: ServedBlock;
let last: number;

beforeAll(async () => {
  mover = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  const other = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  for (const amount of [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]) {
    await anvil().send(mover, "move", [anvil().account(1), amount]);
    if (amount % 4n === 0n) await anvil().send(other, "move", [anvil().account(1), amount]);
  }
  last = await anvil().blockNumber();
  await anvil().mine(300);
  tip = await blocksOfNode(anvil().client, await anvil().blockNumber());
});

interface Sourced extends Ran {
  readonly cwd: string;
  readonly portal: PlayedPortal;
}

/** Runs a command with a source, in a folder of its own. */
async function sourced(
  files: Readonly<Record<string, string>>,
  line: string,
  options: Partial<PortalOptions> = {},
): Promise<Sourced> {
  const { portal, url } = await startPortal(tip, options);
  const cwd = workplace();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return { ...(await graphloom(cwd, line.replace("URL", url))), cwd, portal };
}

describe("external-data sync --source", () => {
  const sync = (more: string, options?: Partial<PortalOptions>): Promise<Sourced> =>
    sourced(
      { "abi.json": JSON.stringify(moverContract.abi) },
      `external-data sync decoded-logs --rpc ${anvil().url} --to-block ${last} --contract-address ${mover.address} --abi abi.json ${more}`,
      options,
    );
  const filesOf = ({ cwd }: Sourced): readonly (readonly [string, string])[] =>
    readdirSync(join(cwd, "data"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".parquet"))
      .sort()
      .map((name) => [name, readFileSync(join(cwd, "data", name)).toString("hex")]);

  it.each(["portal", "hypersync"] as const)("writes the files that the node would give: %s", async (kind) => {
    const plain = await sync("");
    expect(plain.code, plain.err).toBe(0);
    const given = await sync(`--source ${kind}=URL`, { kind });
    expect(given.code, given.err).toBe(0);
    expect(filesOf(given).length).toBeGreaterThan(0);
    expect(filesOf(given)).toEqual(filesOf(plain));
    expect(given.portal.asked[0]?.logs[0]?.address).toEqual([mover.address]);
  });

  it("says that headers are believed if the source lacks fields", async () => {
    const given = await sync("--source portal=URL", {
      unknownFields: ["parentBeaconBlockRoot", "requestsHash"],
    });
    expect(given.code, given.err).toBe(0);
    expect(given.err).toContain("headers from the source");
    const { out } = await graphloom(given.cwd, "external-data verify");
    expect(out).toContain("headers of the source of history lack fields");
  });

  it("stops with the reason if the source returned other data than the node", async () => {
    const given = await sync("--source portal=URL", { alters: 1, altered: ["the data of a log"] });
    expect(given.code).toBe(3);
    expect(given.err).toContain("returned other logs of block");
  });

  it("refuses --source with --offline and with --server", async () => {
    expect((await sync("--source portal --offline --archive kept")).err).toContain(
      "--source requires a node",
    );
    const { err } = await sourced({}, "external-data sync raw-logs --source portal --server");
    expect(err).toContain("--server reads from a server, and --source is for reading without one.");
  });
});

describe("pipeline run --source", () => {
  const definition = (): string => `
name: moved
job: true
sources:
  logs: { type: dataset, dataset_name: ethereum.raw_logs, start_at: earliest, end_block: ${last}, filter: "address = '${mover.address}'" }
transforms:
  own:
    type: sql
    primary_key: id
    sql: select id, address, block_number, data from logs
sinks:
  shown: { type: print, from: own }
`;
  const run = (more: string, options?: Partial<PortalOptions>): Promise<Sourced> =>
    sourced(
      { "flow.yaml": definition() },
      `pipeline run flow.yaml --rpc ethereum=${anvil().url} ${more}`,
      options,
    );

  it.each(["portal", "hypersync"] as const)("gives the rows that the node would give: %s", async (kind) => {
    const plain = await run("");
    expect(plain.code, plain.err).toBe(0);
    const given = await run(`--source ethereum=${kind}=URL`, { kind });
    expect(given.code, given.err).toBe(0);
    expect(given.out).toBe(plain.out);
    expect(given.out.trim().split("\n").length).toBe(8);
    expect(given.portal.asked.length).toBeGreaterThan(0);
  });

  it("ends with the reason if the source returned other data than the node", async () => {
    const given = await run("--source portal=URL", { alters: 1, altered: ["the data of a log"] });
    expect(given.code).toBe(3);
    expect(given.err).toContain("returned other logs of block");
  });
});
