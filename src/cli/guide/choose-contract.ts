import type { Host } from "../../compiler/host.js";
import type { FoundProjects } from "../../discovery/find-projects.js";
import type { FoundContract, FoundDeployment } from "../../discovery/found.js";
import { type ContractAbi, readAbiFile } from "../../discovery/read-abi.js";
import { count } from "../terminal/count.js";
import type { Choice } from "../terminal/prompts.js";
import { UsageError } from "../terminal/usage-error.js";
import type { Answers } from "./answers.js";
import type { GuideArguments } from "./guide-arguments.js";

/** The contract to index, as far as it is known from files and options. */
export interface ChosenContract {
  readonly name?: string;
  readonly abi?: KnownAbi;
  readonly deployment?: FoundDeployment;
}

/** An ABI, and the file that it is in; one that is not in a file has to be written. */
export interface KnownAbi {
  readonly read: ContractAbi;
  /** Relative to the working directory, or absolute. */
  readonly path?: string;
}

const another = "another";

/**
 * Chooses the contract among those that were found, unless the options say which.
 * @param canBeTold whether there is an explorer, which may know a contract that is not here
 * @throws UsageError for an option that names nothing, and where nobody is there to choose
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
    const deployment = deployments.find((one) => one.address.toLowerCase() === address?.toLowerCase());
    return { name: name ?? stemOf(path), abi: { read, path }, ...(deployment && { deployment }) };
  }
  const placed = deployments.filter(
    (one) =>
      (name === undefined || one.contract === name) &&
      (address === undefined || one.address.toLowerCase() === address.toLowerCase()) &&
      (args.network === undefined || one.network === args.network),
  );
  const built = contracts.filter((one) => name === undefined || one.name === name);
  const isNowhere = built.length === 0 && placed.length === 0;
  if (name !== undefined && isNowhere && contracts.length > 0 && !canBeTold)
    throw new UsageError(
      `--contract-name: nothing called ${name} was built here; there is ${namesOf(contracts)}.`,
    );
  const isGiven = address !== undefined && placed.length === 0 && name === undefined;
  const isPlaced = (one: FoundContract): boolean => placed.some(({ contract }) => contract === one.name);
  const isAgain = (one: FoundContract): boolean =>
    one.tool === "hardhat-deploy" && contracts.some((other) => other !== one && other.name === one.name);
  const choices = [
    ...placed.map(deploymentChoice),
    // What is deployed may be deployed elsewhere, too: whoever can be asked may mean that.
    ...built.filter((one) => !isAgain(one) && (answers.canAsk || !isPlaced(one))).map(contractChoice),
    ...(answers.canAsk && name === undefined ? [elsewhere] : []),
  ];
  const question = { text: "Which contract?", option: "--contract-name <name>" };
  const isUnknown = choices.length === 0 || (choices.length === 1 && choices[0] === elsewhere);
  // An address that no file knows may be of any of the contracts, or of none: without a terminal, of none.
  if (isUnknown || (isGiven && !answers.canAsk)) return name === undefined ? {} : { name };
  const answer = await answers.choose(question, choices);
  return chosenBy(answer, contracts, deployments);
}

const elsewhere: Choice = {
  value: another,
  label: "another one",
  hint: "by its address, with its ABI in a file or from an explorer",
};

function chosenBy(
  answer: string,
  contracts: readonly FoundContract[],
  deployments: readonly FoundDeployment[],
): ChosenContract {
  const deployment = deployments.find((one) => deploymentChoice(one).value === answer);
  const built = deployment
    ? // What is in the record of a deployment is what was deployed; what was built may be newer.
      (contracts.find(({ path }) => path === deployment.path) ??
      contracts.find(({ name }) => name === deployment.contract))
    : contracts.find((one) => contractChoice(one).value === answer);
  const name = deployment?.contract ?? built?.name;
  return {
    ...(name !== undefined && { name }),
    ...(built && { abi: { read: built.abi, path: built.path } }),
    ...(deployment && { deployment }),
  };
}

function deploymentChoice({ contract, address, network, path }: FoundDeployment): Choice {
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`;
  return {
    value: `at ${path} ${address}`,
    label: `${contract} at ${short} on ${network}`,
    hint: path,
  };
}

function contractChoice({ name, path, abi, tool }: FoundContract): Choice {
  const events = count(abi.abi.events.length, "event");
  return { value: `of ${path}`, label: name, hint: `${path}, ${events}, ${tool}` };
}

function namesOf(contracts: readonly FoundContract[]): string {
  const names = [...new Set(contracts.map(({ name }) => name))];
  const left = names.length - 8;
  return names.slice(0, 8).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

/** `Vault` of `abis/Vault.abi.json`. */
export function stemOf(path: string): string {
  return path.replace(/^.*[/\\]/s, "").replace(/(?:\.(?:abi|json))+$/i, "");
}
