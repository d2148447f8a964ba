import { isRecord, parseJson } from "../base/text/json-value.js";
import { findChain } from "../chains/find-chain.js";
import type { Host } from "../compiler/host.js";
import { findBroadcasts } from "./find-broadcasts.js";
import { findIgnition } from "./find-ignition.js";
import type { FoundContract, FoundDeployment } from "./found.js";
import type { FoundryFolders } from "./foundry-folders.js";
import { readAbi, readTextFile } from "./read-abi.js";
import { blockOf, isAddress, isName, safeNetwork } from "./record-values.js";

/** Maximum number of deployment files to read. */
const mostFiles = 500;

/** Deployments, and the contracts whose ABIs are in the same files. */
export interface Deployments {
  readonly deployments: readonly FoundDeployment[];
  readonly contracts: readonly FoundContract[];
}

/**
 * Finds contracts that were deployed from a folder by hardhat-deploy (`deployments/<network>/<name>.json`), Hardhat
 * Ignition and Foundry scripts.
 * @param host host whose `filesUnder` lists the folder
 */
export async function findDeployments(host: Host, foundry: FoundryFolders): Promise<Deployments> {
  const deploy = await fromHardhatDeploy(host);
  const ignition = await findIgnition(host);
  const broadcasts = await findBroadcasts(host, foundry);
  return {
    deployments: [...deploy.deployments, ...ignition.deployments, ...broadcasts],
    contracts: [...deploy.contracts, ...ignition.contracts],
  };
}

async function fromHardhatDeploy(host: Host): Promise<Deployments> {
  const deployments: FoundDeployment[] = [];
  const contracts: FoundContract[] = [];
  const files = (await host.filesUnder?.("deployments", 2)) ?? [];
  const networks = new Map<string, string>();
  for (const file of files.slice(0, mostFiles)) {
    // A proxy and its implementation have separate files, beside one that combines the proxy's address with
    // the implementation's ABI.
    const [, folder, contract] = /^([^/]+)\/([^/]+)(?<!_Proxy|_Implementation)\.json$/.exec(file) ?? [];
    if (folder === undefined || !isName(contract)) continue;
    const path = `deployments/${file}`;
    const read = await readTextFile(path, host);
    const record = read.kind === "text" ? parseJson(read.text) : undefined;
    if (read.kind !== "text" || !isRecord(record) || !isAddress(record.address)) continue;
    const network = networks.get(folder) ?? (await networkOf(folder, host));
    networks.set(folder, network);
    const startBlock = isRecord(record.receipt) ? creationIn(record.receipt, record.address) : undefined;
    deployments.push({
      contract,
      address: record.address,
      network,
      path,
      abiPath: path,
      ...(startBlock !== undefined && { startBlock }),
    });
    const abi = readAbi(path, read.text);
    if (abi.kind === "abi")
      contracts.push({ name: contract, tool: "hardhat-deploy", path, abi, isAbstract: false });
  }
  return { deployments, contracts };
}

/** The block of a receipt, unless the transaction failed or created another contract. */
function creationIn(receipt: Readonly<Record<string, unknown>>, address: string): number | undefined {
  const { blockNumber, contractAddress, status } = receipt;
  const isOther = isAddress(contractAddress) && contractAddress.toLowerCase() !== address.toLowerCase();
  return isOther || blockOf(status) === 0 ? undefined : blockOf(blockNumber);
}

/** The network of a deployments folder: by the chain id in it, or by its name. Version 2 writes more than the id. */
async function networkOf(folder: string, host: Host): Promise<string> {
  const id = await readTextFile(`deployments/${folder}/.chainId`, host);
  const chain = await readTextFile(`deployments/${folder}/.chain`, host);
  const told = chain.kind === "text" ? parseJson(chain.text) : undefined;
  const chainId = id.kind === "text" ? id.text.trim() : isRecord(told) ? String(told.chainId) : "";
  return findChain(chainId) ?? findChain(folder) ?? safeNetwork(folder);
}
