import { isAddress } from "../../discovery/record-values.js";
import { isWebAddress } from "../../web/http/address.js";
import { type CacheArguments, largestBlock, type ReportArguments } from "../terminal/options.js";
import { UsageError } from "../terminal/usage-error.js";

/** Arguments of `init`: an answer to each question of the guided start. */
export interface GuideArguments extends ReportArguments, CacheArguments {
  readonly file?: string | undefined;
  readonly abi?: string | undefined;
  readonly contract?: string | undefined;
  readonly contractName?: string | undefined;
  readonly contractEvents?: string | undefined;
  readonly callHandlers?: boolean | undefined;
  readonly network?: string | undefined;
  readonly rpc?: string | undefined;
  readonly startBlock?: string | undefined;
  readonly reads?: string | undefined;
  readonly explorerUrl?: string | undefined;
  readonly name?: string | undefined;
  readonly force: boolean;
  readonly yes: boolean;
}

/**
 * Checks the answers that are given as options. A check returns what is wrong, in words that follow no other.
 * @throws UsageError for the first that cannot be
 */
export function checkGuideArguments(args: GuideArguments): void {
  const checks: readonly (readonly [string, string | undefined, (text: string) => string | undefined])[] = [
    ["contract", args.contract, addressProblem],
    ["network", args.network, networkProblem],
    ["rpc", args.rpc, nodeProblem],
    ["start-block", args.startBlock, blockProblem],
    ["explorer-url", args.explorerUrl, nodeProblem],
    ["name", args.name, nameProblem],
    ["abi", args.abi, emptyProblem],
  ];
  for (const [option, text, check] of checks) {
    const problem = text === undefined ? undefined : check(text);
    if (problem !== undefined) throw new UsageError(`--${option}: ${problem}`);
  }
  if (args.file !== undefined) {
    const problem = fileProblem(args.file);
    if (problem !== undefined) throw new UsageError(problem);
  }
}

/** What is wrong with the address of a contract. */
export function addressProblem(text: string): string | undefined {
  return isAddress(text) ? undefined : "an address is 0x followed by 40 hexadecimal digits.";
}

/** What is wrong with the name of a network. */
export function networkProblem(text: string): string | undefined {
  return /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(text)
    ? undefined
    : "a network name contains only letters, digits, - and _, such as mainnet or arbitrum-one.";
}

/** What is wrong with the address of a node, which is not repeated. */
export function nodeProblem(text: string): string | undefined {
  return isWebAddress(text) ? undefined : "the address must start with http:// or https://";
}

/** What is wrong with a start block. */
export function blockProblem(text: string): string | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) <= largestBlock
    ? undefined
    : `a block number is a whole number from 0 to ${largestBlock}.`;
}

/** What is wrong with the name of a subgraph. */
export function nameProblem(text: string): string | undefined {
  return /^[a-zA-Z][\w-]*(?:\/[a-zA-Z0-9][\w+.-]*)?$/.test(text)
    ? undefined
    : "write <name>/<version>, such as pools/1.0.0; names begin with a letter and contain only letters, digits, - and _.";
}

/** What is wrong with the path of a configuration to be written. */
export function fileProblem(text: string): string | undefined {
  return /[^/\\]\.json$/.test(text)
    ? undefined
    : "the configuration is written as JSON, so its file name must end in .json, such as subgraph.json.";
}

function emptyProblem(text: string): string | undefined {
  return text === "" ? "the path is empty." : undefined;
}
