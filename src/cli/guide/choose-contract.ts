import { groupBy } from "../../base/group-by.js";
import type { Host } from "../../compiler/host.js";
import type { FoundProjects } from "../../discovery/find-projects.js";
import type { FoundContract, FoundDeployment } from "../../discovery/found.js";
import {
  behind,
  contractOf,
  inFrontOf,
  isAt,
  onceBehind,
  onceInFrontOf,
} from "../../discovery/pair-deployments.js";
import { type ContractAbi, readAbiFile } from "../../discovery/read-abi.js";
import { count } from "../terminal/count.js";
import type { Choice } from "../terminal/prompts/prompts.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { Answers } from "./answers.js";
import type { GuideArguments } from "./guide-arguments.js";

/** The contract to index, as far as files and options describe it. */
export interface ChosenContract {
  readonly name?: string;
  readonly abi?: KnownAbi;
  readonly deployment?: FoundDeployment;
}

/** An ABI and its file. An ABI without a file must be written. */
export interface KnownAbi {
  readonly read: ContractAbi;
  /** Relative to the working directory, or absolute. */
  readonly path?: string;
}

const another = "another";

/**
 * Chooses the contract from those found, unless the options name it.
 * @param canBeTold whether there is an explorer, which may know contracts that are not in the folder
 * @throws UsageError for an option with an unknown name, and when a choice is needed but there is no terminal
 */
export async function chooseContract(
  args: GuideArguments,
  { contracts, deployments }: FoundProjects,
  host: Host,
  answers: Answers,
  canBeTold: boolean,
): Promise<ChosenContract> {
  const { abi: path, contractName: name, contract: address } = args;
  if (path !== undefined) {
    const read = await readAbiFile(path, host);
    if (read.kind === "none") throw new UsageError(`--abi: the file ${path} ${read.why}.`);
    const deployment = deployments.find((one) => address !== undefined && isAt(one, address));
    const abi = read.isTurned ? { read } : { read, path };
    return { name: name ?? stemOf(path), abi, ...(deployment && { deployment }) };
  }
  const placed = deployments.filter(
    (one) =>
      (name === undefined || namesAt(one, deployments).includes(name)) &&
      (address === undefined || isAt(one, address)) &&
      (args.network === undefined || one.network === args.network),
  );
  // An implementation's own address emits no events, so it is offered last, and only in a terminal.
  const ranked = groupBy(placed, (one) => rankOf(one, placed));
  const offered = answers.isAsking
    ? ranks.flatMap((rank) => ranked.get(rank) ?? [])
    : (ranks.map((rank) => ranked.get(rank)).find((group) => group !== undefined) ?? []);
  const built = contracts.filter((one) => name === undefined || one.name === name);
  const isNowhere = built.length === 0 && placed.length === 0;
  if (name !== undefined && isNowhere && contracts.length > 0 && !canBeTold)
    throw new UsageError(
      `--contract-name: no contract built here is called ${name}. Found ${namesOf(contracts)}.`,
    );
  const isGiven = address !== undefined && placed.length === 0 && name === undefined;
  const isPlaced = (one: FoundContract): boolean =>
    placed.some((deployed) => [deployed.contract, nameOf(deployed, deployments)].includes(one.name));
  const isAgain = (one: FoundContract): boolean =>
    isOfRecord(one) && contracts.some((other) => !isOfRecord(other) && other.name === one.name);
  // Without a terminal, an address in a record settles which contract it is.
  const isSettled = !answers.isAsking && address !== undefined && offered.length > 0;
  const others = built.filter((one) => !isSettled && !isAgain(one) && (answers.isAsking || !isPlaced(one)));
  const shown = answers.canAsk ? shortAddress : (whole: string): string => whole;
  const choices = [
    ...offered.map((one) => deploymentChoice(one, deployments, shown)),
    // A deployed contract may also be deployed elsewhere. In a terminal, the user can choose that.
    ...others.map(contractChoice),
    ...(answers.isAsking && name === undefined ? [elsewhere] : []),
  ];
  const option = optionFor(name === undefined ? [] : offered);
  const question = { text: "Which contract?", option };
  const isUnknown = choices.length === 0 || (choices.length === 1 && choices[0] === elsewhere);
  // An address that is in no file may belong to any of the contracts. Without a terminal, assume none of them.
  if (isUnknown || (isGiven && !answers.canAsk)) return name === undefined ? {} : { name };
  const answer = await answers.choose(question, choices);
  return chosenBy(answer, contracts, deployments);
}

/** The option that distinguishes deployments with the same name. */
function optionFor([first, ...more]: readonly FoundDeployment[]): string {
  if (!first || more.length === 0) return "--contract-name <name>";
  return more.every((one) => isAt(one, first.address)) ? "--network <chain>" : "--contract <address>";
}

/** Roles of deployments, in the order in which to offer them. */
const ranks = ["current", "repeated", "implementation", "abandoned"] as const;

function rankOf(one: FoundDeployment, placed: readonly FoundDeployment[]): (typeof ranks)[number] {
  if (inFrontOf(one.address, one.network, placed).length > 0) return "implementation";
  if (onceInFrontOf(one.address, one.network, placed).length > 0) return "abandoned";
  return one.isRepeated ? "repeated" : "current";
}

/** The names under which a user may ask for a deployment: for a proxy, also those of all contracts that it ran. */
function namesAt(one: FoundDeployment, deployments: readonly FoundDeployment[]): readonly string[] {
  const code = [behind(one, deployments), ...onceBehind(one, deployments)];
  return [one.contract, ...code.flatMap((each) => each?.contract ?? [])];
}

const elsewhere: Choice = {
  value: another,
  label: "a different one",
  hint: "enter its address; its ABI comes from a file or an explorer",
};

/** Whether the contract's ABI is in a deployment record. */
function isOfRecord({ tool }: FoundContract): boolean {
  return tool === "hardhat-deploy" || tool === "Hardhat Ignition";
}

function chosenBy(
  answer: string,
  contracts: readonly FoundContract[],
  deployments: readonly FoundDeployment[],
): ChosenContract {
  const deployment = deployments.find((one) => answerFor(one) === answer);
  const built = deployment
    ? contractOf(behind(deployment, deployments) ?? deployment, contracts)
    : contracts.find((one) => contractChoice(one).value === answer);
  const name = deployment ? nameOf(deployment, deployments) : built?.name;
  return {
    ...(name !== undefined && { name }),
    ...(built && { abi: { read: built.abi, path: built.path } }),
    ...(deployment && { deployment }),
  };
}

/** The name that users know a deployment by: for a proxy, the name of its implementation. */
function nameOf(deployment: FoundDeployment, deployments: readonly FoundDeployment[]): string {
  return (behind(deployment, deployments) ?? deployment).contract;
}

/** @param shown how to write its address */
function deploymentChoice(
  deployment: FoundDeployment,
  deployments: readonly FoundDeployment[],
  shown: (address: string) => string,
): Choice {
  const { address, network, path } = deployment;
  return {
    value: answerFor(deployment),
    label: `${nameOf(deployment, deployments)} at ${shown(address)} on ${network}`,
    hint: roleOf(deployment, deployments) + path,
  };
}

function roleOf(one: FoundDeployment, deployments: readonly FoundDeployment[]): string {
  const { contract, address, network, implementation } = one;
  const [front] = inFrontOf(address, network, deployments);
  if (front) return `the implementation behind ${shortAddress(front.address)}, `;
  const [former] = onceInFrontOf(address, network, deployments);
  if (former) return `an abandoned implementation of ${shortAddress(former.address)}, `;
  const again = one.isRepeated ? "an earlier deployment, " : "";
  return implementation === undefined
    ? again
    : `the proxy${contract.endsWith("Proxy") ? ` ${contract}` : ""}, ${again}`;
}

function answerFor({ path, address }: FoundDeployment): string {
  return `at ${path} ${address}`;
}

/** `0xcf7e…0fc9` */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** A built contract as a choice. */
export function contractChoice({ name, path, abi, tool }: FoundContract): Choice {
  const events = count(abi.abi.events.length, "event");
  return { value: `of ${path}`, label: name, hint: `${path}, ${events}, ${tool}` };
}

function namesOf(contracts: readonly FoundContract[]): string {
  const names = [...new Set(contracts.map(({ name }) => name))];
  const left = names.length - 8;
  return names.slice(0, 8).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

/** `Vault` for `abis/Vault.abi.json`. */
export function stemOf(path: string): string {
  return path.replace(/^.*[/\\]/s, "").replace(/(?:\.(?:abi|json))+$/i, "");
}
