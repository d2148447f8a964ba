import { startGraphNodeDouble } from "../../support/network/graph-node-double.js";
import { startIpfsDouble } from "../../support/network/ipfs-double.js";
import { config, graphloom, type Ran, workplace } from "../harness.js";

const faulty = config({ instances: [{ abi: "Tokn", address: "0x1", startBlock: 1, chain: "mainnet" }] });

/**
 * Creates a folder with a valid and an invalid configuration, and starts a graph-node for commands in this process.
 * @param use receives functions that run commands and control the node
 */
export async function node<Result>(
  use: (place: {
    readonly run: (line: string) => Promise<Ran>;
    readonly fail: (message: string) => void;
    /** The same, without the address of the node's status. */
    readonly runWithoutStatus: (line: string) => Promise<Ran>;
    /** Makes the node close every connection that requests its status, once something is deployed. */
    readonly cutStatus: () => void;
    /** The number of requests for the node's status. */
    readonly statusRequests: () => number;
  }) => Promise<Result>,
): Promise<Result> {
  const ipfs = await startIpfsDouble();
  const double = await startGraphNodeDouble(ipfs, {
    networks: ["mainnet"],
    head: 30_000_000,
    step: 15_000_000,
  });
  const cwd = workplace({ "c.json": config(), "faulty.json": faulty });
  const stop = async (): Promise<void> => {
    await Promise.all([ipfs.stop(), double.stop()]);
  };
  const addresses = `--graph-node ${double.admin.url} --ipfs ${ipfs.url}`;
  const env = { HOME: cwd };
  try {
    return await use({
      run: (line) => graphloom(cwd, `${line} ${addresses} --graph-node-status ${double.statusUrl}`, { env }),
      runWithoutStatus: (line) => graphloom(cwd, `${line} ${addresses}`, { env }),
      fail: (message) => {
        const id = double.subgraphs.get("pools/v1-0-0")?.at(-1) ?? "";
        double.set(id, { fatal: { message, deterministic: true } });
      },
      cutStatus: () => double.status.rule(() => (double.subgraphs.size > 0 ? { kind: "cut" } : undefined)),
      statusRequests: () => double.status.requests.length,
    });
  } finally {
    await stop();
  }
}
