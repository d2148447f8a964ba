import { visible } from "../../base/text/visible.js";
import type { Explorer } from "../../discovery/ask-explorer.js";
import { behind, contractOf, deploymentAt } from "../../discovery/pair-deployments.js";
import { readAbiFile } from "../../discovery/read-abi.js";
import type { ChosenChain } from "./ask-node.js";
import { type ChosenContract, contractChoice, type KnownAbi } from "./choose-contract.js";
import { askForAbi } from "./explorer.js";
import type { FoundAddress } from "./find-address.js";
import type { Guide } from "./guide-context.js";

/** An ABI, and the name of its contract if known. */
export interface NamedAbi {
  readonly name: string | undefined;
  readonly abi: KnownAbi;
}

const file = "file";
const own = "own";

/**
 * Finds the ABI of the code that runs at an address; for a proxy, that of its implementation. It comes from the option
 * or the record, otherwise from the contract behind the proxy, the explorer, or a file that the user names.
 * @param chosen the chosen contract, which may be the proxy
 */
export async function findAbi(
  chosen: ChosenContract,
  found: FoundAddress,
  chain: ChosenChain,
  explorer: Explorer | undefined,
  guide: Guide,
): Promise<NamedAbi> {
  const { args, terminal, world } = guide;
  const implementation = found.look?.proxy?.implementation ?? found.deployment?.implementation;
  const isSettled = args.abi !== undefined || found.deployment?.abiPath !== undefined;
  const known = isSettled || implementation === undefined ? chosen : behindProxy(chosen, found, chain, guide);
  if (known.abi) return { name: known.name, abi: known.abi };
  const told =
    explorer &&
    (await askForAbi(explorer, found.address, found.look?.proxy?.implementation, world, terminal));
  if (told) return { name: chosen.name ?? told.name, abi: { read: told.abi } };
  return chosen.abi
    ? chooseBehind(chosen, chosen.abi, guide)
    : { name: chosen.name, abi: await askForFile(guide) };
}

/** The contract behind a proxy, according to files. It has no ABI if the chosen ABI is the proxy's own. */
function behindProxy(
  chosen: ChosenContract,
  { look, deployment }: FoundAddress,
  { network }: ChosenChain,
  { records, contracts, terminal }: Guide,
): ChosenContract {
  const address = look?.proxy?.implementation ?? deployment?.implementation ?? "";
  const target = deploymentAt(address, network, records);
  const built = target && contractOf(target, contracts);
  if (target && built) {
    terminal.err(`It runs ${visible(target.contract)}. Using the ABI in ${visible(built.path)}.\n`);
    return { name: target.contract, abi: { read: built.abi, path: built.path } };
  }
  const isProxys =
    deployment !== undefined && !behind(deployment, records) && chosen.name === deployment.contract;
  return isProxys ? {} : chosen;
}

/** Asks for the contract behind a proxy that was chosen by its own name. */
async function chooseBehind(chosen: ChosenContract, abi: KnownAbi, guide: Guide): Promise<NamedAbi> {
  const { answers, contracts } = guide;
  const others = contracts.filter(({ name, isAbstract }) => name !== chosen.name && !isAbstract);
  const answer = await answers.choose(
    {
      text: `The ABI of ${chosen.name ?? "the proxy"} has only the proxy's own events. Which contract is behind it?`,
      option: "--abi <file>",
    },
    [
      ...others.map(contractChoice),
      { value: file, label: "a different one", hint: "enter the file with its ABI" },
      { value: own, label: "only the proxy's own events" },
    ],
  );
  if (answer === own) return { name: chosen.name, abi };
  if (answer === file) return { name: undefined, abi: await askForFile(guide) };
  const built = others.find((one) => contractChoice(one).value === answer);
  return built
    ? { name: built.name, abi: { read: built.abi, path: built.path } }
    : { name: chosen.name, abi };
}

async function askForFile({ answers, host, terminal }: Guide): Promise<KnownAbi> {
  const question = {
    text: "Which file contains its ABI?",
    option: "--abi <file>, or --explorer-url <address> to fetch it from an explorer",
  };
  for (;;) {
    const check = (text: string): string | undefined =>
      text === "" ? "enter the path of a file." : undefined;
    const path = await answers.enter(undefined, question, { example: "abis/Vault.json", check });
    const read = await readAbiFile(path, host);
    if (read.kind === "abi") return read.isTurned ? { read } : { read, path };
    terminal.err(`That file ${visible(read.why)}.\n`);
  }
}
