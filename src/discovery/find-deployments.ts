import { isRecord, parseJson } from "../base/json-value.js";
import type { Host } from "../compiler/host.js";
import { findChain } from "../compiler/validate/chains/find-chain.js";
import { isName } from "./find-contracts.js";
import type { FoundContract, FoundDeployment } from "./found.js";
import { readAbi, readTextFile } from "./read-abi.js";

/** Most files of deployments that are read. */
const mostFiles = 500;

/** Deployments, and the contracts whose ABI is in the same files. */
export interface Deployments {
  readonly deployments: readonly FoundDeployment[];
  readonly contracts: readonly FoundContract[];
}

/**
 * Finds what was deployed from a folder: hardhat-deploy's `deployments/<network>/<name>.json`, and Foundry's
 * `broadcast/<script>/<chain id>/run-latest.json`.
 * @param host whose `filesUnder` lists the folder
 */
export async function findDeployments(host: Host): Promise<Deployments> {
  const [deploy, broadcast] = [await fromHardhatDeploy(host), await fromBroadcasts(host)];
  return { deployments: [...deploy.deployments, ...broadcast], contracts: deploy.contracts };
}

async function fromHardhatDeploy(host: Host): Promise<Deployments> {
  const deployments: FoundDeployment[] = [];
  const contracts: FoundContract[] = [];
  const files = (await host.filesUnder?.("deployments", 2)) ?? [];
  const networks = new Map<string, string>();
  for (const file of files.slice(0, mostFiles)) {
    // A proxy and its implementation have files of their own beside the one that has both: its address and its ABI.
    const [, folder, contract] = /^([^/]+)\/([^/]+)(?<!_Proxy|_Implementation)\.json$/.exec(file) ?? [];
    if (folder === undefined || !isName(contract)) continue;
    const path = `deployments/${file}`;
    const read = await readTextFile(path, host);
    const record = read.kind === "text" ? parseJson(read.text) : undefined;
    if (read.kind !== "text" || !isRecord(record) || !isAddress(record.address)) continue;
    const network = networks.get(folder) ?? (await networkOf(folder, host));
    networks.set(folder, network);
    const startBlock = isRecord(record.receipt) ? blockOf(record.receipt.blockNumber) : undefined;
    deployments.push({
      ...{ contract, address: record.address, network, path },
      ...(startBlock !== undefined && { startBlock }),
    });
    const abi = readAbi(path, read.text);
    if (abi.kind === "abi")
      contracts.push({ name: contract, tool: "hardhat-deploy", path, abi, isAbstract: false });
  }
  return { deployments, contracts };
}

/** The network of a folder of deployments: by the chain id in it, or by its name. */
async function networkOf(folder: string, host: Host): Promise<string> {
  const id = await readTextFile(`deployments/${folder}/.chainId`, host);
  const known = id.kind === "text" ? findChain(id.text.trim()) : undefined;
  return known ?? findChain(folder) ?? safeNetwork(folder);
}

async function fromBroadcasts(host: Host): Promise<readonly FoundDeployment[]> {
  const files = (await host.filesUnder?.("broadcast", 3)) ?? [];
  const found: FoundDeployment[] = [];
  for (const file of files.slice(0, mostFiles)) {
    const [, id] = /^[^/]+\/(\d{1,15})\/run-latest\.json$/.exec(file) ?? [];
    if (id === undefined) continue;
    const path = `broadcast/${file}`;
    const read = await readTextFile(path, host);
    const run = read.kind === "text" ? parseJson(read.text) : undefined;
    if (isRecord(run)) found.push(...createdIn(run, findChain(id) ?? safeNetwork(id), path));
  }
  return found;
}

function createdIn(
  run: Readonly<Record<string, unknown>>,
  network: string,
  path: string,
): readonly FoundDeployment[] {
  const receipts = recordsOf(run.receipts);
  return recordsOf(run.transactions).flatMap(({ hash, contractName, contractAddress, transactionType }) => {
    const isCreation = transactionType === "CREATE" || transactionType === "CREATE2";
    if (!isCreation || !isName(contractName) || !isAddress(contractAddress)) return [];
    const receipt = receipts.find(({ transactionHash }) => transactionHash === hash);
    const startBlock = blockOf(receipt?.blockNumber);
    return [
      {
        ...{ contract: contractName, address: contractAddress, network, path },
        ...(startBlock !== undefined && { startBlock }),
      },
    ];
  });
}

function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A number, or one in hexadecimal digits. */
function blockOf(value: unknown): number | undefined {
  const isHex = typeof value === "string" && /^0x[0-9a-f]{1,8}$/i.test(value);
  const block = isHex ? Number(value) : value;
  return typeof block === "number" && Number.isInteger(block) && block >= 0 && block <= 0x7fff_ffff
    ? block
    : undefined;
}

/** Whether a value is an address in hexadecimal digits. */
export function isAddress(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);
}

/** A name that a configuration may hold as a chain's; local chains have no other. */
function safeNetwork(text: string): string {
  return /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(text) && !/^\d+$/.test(text) ? text : "localhost";
}
