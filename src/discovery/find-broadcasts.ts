import { groupBy } from "../base/group-by.js";
import { isRecord, parseJson } from "../base/text/json-value.js";
import { findChain } from "../chains/find-chain.js";
import { localChainIds } from "../chains/local-chains.js";
import type { Host } from "../compiler/host.js";
import type { FoundDeployment } from "./found.js";
import { type FoundryFolders, usualFolders } from "./foundry-folders.js";
import { joinReceipts } from "./join-receipts.js";
import { readTextFile } from "./read-abi.js";
import { isAddress, isName, recordsOf, safeNetwork } from "./record-values.js";
import { RecordedProxies } from "./recorded-proxies.js";

/** Maximum number of run files to read. */
const mostFiles = 500;

/** A script's actions on one chain in one run. */
interface Run {
  /** The file of the record. */
  readonly path: string;
  /** The folder of the script's records: `Deploy.s.sol`. */
  readonly script: string;
  /** Decimal digits. */
  readonly chainId: string;
  /** When forge wrote it, in milliseconds. */
  readonly time: number;
  readonly record: Readonly<Record<string, unknown>>;
  readonly created: readonly Created[];
}

/** A contract that a run created. */
interface Created {
  /** Absent for some contracts: Foundry does not know every name. */
  readonly name: string | undefined;
  readonly address: string;
  readonly startBlock: number | undefined;
  readonly arguments: unknown;
}

/**
 * Finds what Foundry scripts deployed: `broadcast/<script>/<chain id>/<function>-<time>.json`, and
 * `broadcast/multi/<script>-<time>/<function>.json` for scripts that use several chains. One script may create a proxy
 * and another upgrade it, or the same script in a later run. `-latest` is a copy of the newest run.
 * @param host host whose `filesUnder` lists the folder
 */
export async function findBroadcasts(
  host: Host,
  { broadcast }: FoundryFolders = usualFolders,
): Promise<readonly FoundDeployment[]> {
  const files = (await host.filesUnder?.(broadcast, 3)) ?? [];
  const runs: Run[] = [];
  for (const { file, script, chainId } of newestFirst(files).slice(0, mostFiles)) {
    const path = `${broadcast}/${file}`;
    const read = await readTextFile(path, host);
    const record = read.kind === "text" ? parseJson(read.text) : undefined;
    if (!isRecord(record)) continue;
    const parts = chainId === undefined ? recordsOf(record.deployments) : [record];
    for (const part of parts) {
      const id = chainId ?? String(part.chain);
      if (/^\d{1,15}$/.test(id))
        runs.push(readRun(part, { path, script, chainId: id, time: timeOf(part, file) }));
    }
  }
  const byChain = groupBy(withoutCopies(runs), ({ chainId }) => chainId);
  return [...byChain].flatMap(([id, own]) =>
    deploymentsOn(findChain(id) ?? safeNetwork(id), sameChain(id, own)),
  );
}

/** A file of the broadcast folder; without a chain, it contains several. */
interface RunFile {
  readonly file: string;
  readonly script: string;
  readonly chainId: string | undefined;
}

/** The files with runs: first those of the newest runs, then the others from new to old. */
function newestFirst(files: readonly string[]): readonly RunFile[] {
  const found = files.flatMap((file) => {
    const [, script, chainId, time] = /^([^/]+)\/(\d{1,15})\/\w+-(latest|\d{1,15})\.json$/.exec(file) ?? [];
    if (script !== undefined) return { file, script, chainId, time };
    const [, several, when] = /^multi\/([^/]+)-(latest|\d{1,15})\/\w+\.json$/.exec(file) ?? [];
    return several === undefined ? [] : { file, script: several, chainId: undefined, time: when };
  });
  const rank = (time: string | undefined): number =>
    time === "latest" ? Infinity : milliseconds(Number(time));
  return found.sort((a, b) => (rank(a.time) === rank(b.time) ? 0 : rank(b.time) - rank(a.time)));
}

/** When forge wrote a run. Without a time, the file counts: the latest is written over. */
function timeOf({ timestamp }: Readonly<Record<string, unknown>>, file: string): number {
  const [, named] = /-(\d{1,15})(?:\.json|\/)/.exec(file) ?? [];
  return milliseconds(Number(typeof timestamp === "number" ? timestamp : (named ?? Infinity)));
}

/** Forge wrote seconds until version 1.1. */
function milliseconds(time: number): number {
  return time < 100_000_000_000 ? time * 1_000 : time;
}

function readRun(record: Run["record"], where: Omit<Run, "record" | "created">): Run {
  const mined = joinReceipts(record);
  const created = recordsOf(record.transactions).flatMap((transaction, index) => {
    const { contractName, contractAddress, arguments: given, additionalContracts } = transaction;
    const told = mined[index];
    if (told === undefined || told.kind === "none") return [];
    const startBlock = told.kind === "unknown" ? undefined : told.block;
    const own = { contractName, address: contractAddress, transactionType: transaction.transactionType };
    return [own, ...recordsOf(additionalContracts)].flatMap((one) => {
      const isCreation = one.transactionType === "CREATE" || one.transactionType === "CREATE2";
      if (!isCreation || !isAddress(one.address)) return [];
      const name = isName(one.contractName) ? one.contractName : undefined;
      return [{ name, address: one.address, startBlock, arguments: one === own ? given : undefined }];
    });
  });
  return { ...where, record, created };
}

/** Leaves out the copies of the newest runs. */
function withoutCopies(runs: readonly Run[]): readonly Run[] {
  const groups = groupBy(runs, ({ script, record }) => `${script} ${JSON.stringify(record)}`);
  return [...groups.values()].flatMap(([first]) => first ?? []);
}

/**
 * The runs on one chain, in order. A local chain that was started again has new blocks, so only the runs since then
 * count: those after a run that created a contract which a later run created in another block.
 */
function sameChain(id: string, runs: readonly Run[]): readonly Run[] {
  const inOrder = runs.toSorted((a, b) => a.time - b.time);
  if (!localChainIds.has(id)) return inOrder;
  const blocks = new Map<unknown, unknown>();
  let start = 0;
  for (const [index, { record }] of inOrder.entries()) {
    const own = recordsOf(record.receipts).filter(({ contractAddress }) => isAddress(contractAddress));
    const isAnother = own.some(
      ({ contractAddress, blockHash }) => (blocks.get(contractAddress) ?? blockHash) !== blockHash,
    );
    if (isAnother) {
      blocks.clear();
      start = index;
    }
    for (const { contractAddress, blockHash } of own) blocks.set(contractAddress, blockHash);
  }
  return inOrder.slice(start);
}

/** A contract, and the latest run that recorded its creation. */
type Known = Created & Pick<Run, "path" | "script" | "time">;

/** Contracts that have a name, and proxies of named contracts. */
function deploymentsOn(network: string, runs: readonly Run[]): readonly FoundDeployment[] {
  const proxies = new RecordedProxies();
  const known = new Map<string, Known>();
  for (const { path, script, time, record, created } of runs) {
    for (const one of created) {
      const key = one.address.toLowerCase();
      proxies.addCreation(one);
      // A resumed run repeats what the interrupted one recorded.
      const before = known.get(key);
      const blocks = [one.startBlock, before?.startBlock].filter((block) => block !== undefined);
      const startBlock = blocks.length === 0 ? undefined : Math.min(...blocks);
      known.delete(key);
      known.set(key, { ...one, name: one.name ?? before?.name, startBlock, path, script, time });
    }
    for (const receipt of recordsOf(record.receipts)) proxies.readReceipt(receipt);
  }
  const all = [...known.values(), ...calledProxies(runs, proxies, known)];
  const purposeOf = (one: Known): string => `${one.script} ${labelOf(one, proxies, known)}`;
  const latest = new Map(all.toSorted((a, b) => a.time - b.time).map((one) => [purposeOf(one), one.time]));
  return all.flatMap((one) => {
    const { address, path, startBlock } = one;
    const implementation = proxies.implementationOf(address);
    const formerImplementations = proxies.formerImplementationsOf(address);
    const contract = one.name ?? (implementation && known.get(implementation)?.name);
    if (contract === undefined) return [];
    const isRepeated = one.time < (latest.get(purposeOf(one)) ?? 0);
    return {
      contract,
      address,
      network,
      path,
      ...(startBlock !== undefined && { startBlock }),
      ...(implementation !== undefined && { implementation }),
      ...(formerImplementations.length > 0 && { formerImplementations }),
      ...(isRepeated && { isRepeated }),
    };
  });
}

/**
 * Names the purpose of a contract: for a proxy, the contract that it first ran, because all proxies have the same
 * name.
 */
function labelOf(
  { name, address }: Known,
  proxies: RecordedProxies,
  known: ReadonlyMap<string, Known>,
): string {
  const first = proxies.formerImplementationsOf(address).at(-1) ?? proxies.implementationOf(address);
  return first === undefined ? `${name}` : `${name} of ${known.get(first)?.name}`;
}

/**
 * The proxies that runs upgraded, and whose creation is not recorded. A beacon emits the same event as a proxy, but
 * is not called at its own address.
 */
function calledProxies(
  runs: readonly Run[],
  proxies: RecordedProxies,
  known: ReadonlyMap<string, Known>,
): readonly Known[] {
  const called = new Map<unknown, Known>();
  for (const { path, script, time, record } of runs)
    for (const { contractName, contractAddress: address } of recordsOf(record.transactions)) {
      const name = isName(contractName) ? contractName : undefined;
      if (isAddress(address))
        called.set(address.toLowerCase(), {
          name,
          address,
          path,
          script,
          time,
          startBlock: undefined,
          arguments: undefined,
        });
    }
  return proxies.proxies.flatMap((address) => {
    const one = known.has(address) ? undefined : called.get(address);
    return one && !/beacon$/i.test(one.name ?? "") ? one : [];
  });
}
