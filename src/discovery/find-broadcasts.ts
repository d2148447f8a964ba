import { isRecord, parseJson } from "../base/json-value.js";
import { findChain } from "../chains/find-chain.js";
import type { Host } from "../compiler/host.js";
import type { FoundDeployment } from "./found.js";
import { readTextFile } from "./read-abi.js";
import { blockOf, isAddress, isName, recordsOf, safeNetwork } from "./record-values.js";
import { RecordedProxies } from "./recorded-proxies.js";

/** Maximum number of run files to read. */
const mostFiles = 500;

/** A contract that a run created. */
interface Created {
  /** Absent for some contracts: Foundry does not know every name. */
  readonly name: string | undefined;
  readonly address: string;
  readonly startBlock: number | undefined;
  readonly arguments: unknown;
}

/** Everything created on one network, from all files. */
interface Network {
  readonly created: (Created & { readonly path: string })[];
  readonly proxies: RecordedProxies;
}

/**
 * Finds what Foundry scripts deployed: `broadcast/<script>/<chain id>/run-latest.json`. One script may create
 * a proxy and another upgrade it.
 * @param host host whose `filesUnder` lists the folder
 */
export async function findBroadcasts(host: Host): Promise<readonly FoundDeployment[]> {
  const files = (await host.filesUnder?.("broadcast", 3)) ?? [];
  const networks = new Map<string, Network>();
  for (const file of files.slice(0, mostFiles)) {
    const [, id] = /^[^/]+\/(\d{1,15})\/run-latest\.json$/.exec(file) ?? [];
    if (id === undefined) continue;
    const read = await readTextFile(`broadcast/${file}`, host);
    const run = read.kind === "text" ? parseJson(read.text) : undefined;
    if (!isRecord(run)) continue;
    const name = findChain(id) ?? safeNetwork(id);
    const network = networks.get(name) ?? { created: [], proxies: new RecordedProxies() };
    networks.set(name, network);
    readRun(run, `broadcast/${file}`, network);
  }
  return [...networks].flatMap(([name, network]) => deploymentsOf(name, network));
}

function readRun(run: Readonly<Record<string, unknown>>, path: string, { created, proxies }: Network): void {
  for (const one of createdIn(run)) {
    created.push({ ...one, path });
    proxies.addCreation(one);
  }
  for (const receipt of recordsOf(run.receipts)) proxies.readReceipt(receipt);
}

function createdIn(run: Readonly<Record<string, unknown>>): readonly Created[] {
  const receipts = new Map(recordsOf(run.receipts).map((one) => [one.transactionHash, one]));
  return recordsOf(run.transactions).flatMap((transaction) => {
    const startBlock = blockOf(receipts.get(transaction.hash)?.blockNumber);
    const { contractName, contractAddress, arguments: given, additionalContracts } = transaction;
    const own = { contractName, address: contractAddress, transactionType: transaction.transactionType };
    return [own, ...recordsOf(additionalContracts)].flatMap((one) => {
      const isCreation = one.transactionType === "CREATE" || one.transactionType === "CREATE2";
      if (!isCreation || !isAddress(one.address)) return [];
      const name = isName(one.contractName) ? one.contractName : undefined;
      return [{ name, address: one.address, startBlock, arguments: one === own ? given : undefined }];
    });
  });
}

/** Contracts that have a name, and proxies of a contract that has one. */
function deploymentsOf(network: string, { created, proxies }: Network): readonly FoundDeployment[] {
  return created.flatMap(({ name, address, startBlock, path }) => {
    const implementation = proxies.implementationOf(address);
    const target = created.find((one) => one.address.toLowerCase() === implementation);
    const contract = name ?? target?.name;
    if (contract === undefined) return [];
    return [
      {
        ...{ contract, address, network, path },
        ...(startBlock !== undefined && { startBlock }),
        ...(implementation !== undefined && { implementation }),
      },
    ];
  });
}
