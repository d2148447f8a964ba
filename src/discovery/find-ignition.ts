import { isRecord, parseJson } from "../base/text/json-value.js";
import { findChain } from "../chains/find-chain.js";
import type { Host } from "../compiler/host.js";
import type { FoundContract, FoundDeployment } from "./found.js";
import { readAbi, readTextFile } from "./read-abi.js";
import { blockOf, isAddress, isName, safeNetwork } from "./record-values.js";
import { isNameOfProxy, RecordedProxies } from "./recorded-proxies.js";

const folder = "ignition/deployments";
/** Maximum number of deployments to read, and of contracts in each. */
const most = 200;
/** Maximum number of journal lines to read. */
const mostLines = 50_000;

/** A deployment's journal, which adds to the addresses. */
interface Journal {
  /** In decimal digits. */
  readonly chainId: string | undefined;
  /** The block in which each contract was created, by lower-case address. */
  readonly blocks: ReadonlyMap<string, number>;
  readonly proxies: RecordedProxies;
}

/** A contract of a deployment, with its artifact. */
interface Deployed {
  readonly address: string;
  readonly path: string;
  readonly name: string;
  /** The contract with its ABI, if the artifact still exists. */
  readonly contract: FoundContract | undefined;
}

/**
 * Finds contracts that Hardhat Ignition deployed: `ignition/deployments/<id>/deployed_addresses.json`, with the
 * artifacts and the journal beside it.
 * @param host host whose `filesUnder` lists the folder
 */
export async function findIgnition(host: Host): Promise<{
  readonly deployments: readonly FoundDeployment[];
  readonly contracts: readonly FoundContract[];
}> {
  const files = (await host.filesUnder?.(folder, 2)) ?? [];
  const ids = files.flatMap((file) => /^([^/]+)\/deployed_addresses\.json$/.exec(file)?.[1] ?? []);
  const found = await Promise.all(ids.slice(0, most).map((id) => readDeployment(id, host)));
  return {
    deployments: found.flatMap(({ deployments }) => deployments),
    contracts: found.flatMap(({ contracts }) => contracts),
  };
}

async function readDeployment(id: string, host: Host): ReturnType<typeof findIgnition> {
  const path = `${folder}/${id}/deployed_addresses.json`;
  const read = await readTextFile(path, host);
  const addresses = read.kind === "text" ? parseJson(read.text) : undefined;
  if (!isRecord(addresses)) return { deployments: [], contracts: [] };
  const journal = await readJournal(`${folder}/${id}/journal.jsonl`, host);
  const chainId = /^chain-(\d{1,15})$/.exec(id)?.[1] ?? journal.chainId ?? "";
  const network = findChain(chainId) ?? safeNetwork(chainId);
  const deployed: Deployed[] = [];
  for (const [future, address] of Object.entries(addresses).slice(0, most)) {
    if (!isAddress(address)) continue;
    const contract = await readArtifact(id, future, host);
    const name = contract?.name ?? future.replace(/^.*#/s, "");
    if (isName(name)) deployed.push({ address, path, name, contract });
  }
  return {
    deployments: deployed.filter(isTelling).map((one) => deploymentOf(one, network, journal)),
    contracts: deployed.flatMap(({ contract }) => contract ?? []),
  };
}

/**
 * A module that uses a proxy lists its address again as the contract behind it; only that second entry
 * counts.
 */
function isTelling({ address, name }: Deployed, _: number, all: readonly Deployed[]): boolean {
  const others = all.filter((one) => one.name !== name && isSame(one.address, address));
  return others.length === 0 || !isNameOfProxy(name);
}

function deploymentOf(
  { address, path, name, contract }: Deployed,
  network: string,
  { blocks, proxies }: Journal,
): FoundDeployment {
  const startBlock = blocks.get(address.toLowerCase());
  const implementation = proxies.implementationOf(address);
  // A proxy's artifact does not contain the ABI of the code that it runs.
  const abiPath = isNameOfProxy(name) ? undefined : contract?.path;
  return {
    contract: name,
    address,
    network,
    path,
    ...(startBlock !== undefined && { startBlock }),
    ...(abiPath === undefined ? implementation !== undefined && { implementation } : { abiPath }),
  };
}

/** Reads the artifact of a future, whose name is also a file name. */
async function readArtifact(id: string, future: string, host: Host): Promise<FoundContract | undefined> {
  if (!/^[\w$]{1,100}#[\w$.-]{1,100}$/.test(future)) return undefined;
  const path = `${folder}/${id}/artifacts/${future}.json`;
  const read = await readTextFile(path, host);
  const abi = read.kind === "text" ? readAbi(path, read.text) : read;
  const artifact = read.kind === "text" ? parseJson(read.text) : undefined;
  const name = isRecord(artifact) && isName(artifact.contractName) ? artifact.contractName : undefined;
  if (abi.kind === "none" || name === undefined) return undefined;
  return { name, tool: "Hardhat Ignition", path, abi, isAbstract: false };
}

async function readJournal(path: string, host: Host): Promise<Journal> {
  const read = await readTextFile(path, host);
  const lines = read.kind === "text" ? read.text.split("\n", mostLines) : [];
  const blocks = new Map<string, number>();
  const proxies = new RecordedProxies();
  let chainId: string | undefined;
  for (const line of lines) {
    const message = parseJson(line);
    if (!isRecord(message)) continue;
    if (message.type === "DEPLOYMENT_INITIALIZE") chainId = String(message.chainId);
    const { receipt } = message;
    if (message.type !== "TRANSACTION_CONFIRM" || !isRecord(receipt) || receipt.status === "FAILURE")
      continue;
    proxies.readReceipt(receipt);
    const block = blockOf(receipt.blockNumber);
    if (isAddress(receipt.contractAddress) && block !== undefined)
      blocks.set(receipt.contractAddress.toLowerCase(), block);
  }
  return { chainId, blocks, proxies };
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
