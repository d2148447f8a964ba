import { isAddress } from "../../discovery/record-values.js";
import { isWebAddress } from "../../web/http/address.js";
import { type CacheArguments, largestBlock, type ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments of `init`: one for each question of the guided start. */
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
 * Checks the answers given as options. Each check returns the problem as a sentence without the option's name.
 * @throws UsageError for the first invalid one
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

/** The problem with a contract's address, if any. */
export function addressProblem(text: string): string | undefined {
  return isAddress(text) ? undefined : "an address is 0x followed by 40 hexadecimal digits.";
}

/** The problem with a network's name, if any. */
export function networkProblem(text: string): string | undefined {
  return /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(text)
    ? undefined
    : "a network name contains only letters, digits, - and _, such as mainnet or arbitrum-one.";
}

/** The problem with a node's address, if any. It does not quote the address, which may contain a key. */
export function nodeProblem(text: string): string | undefined {
  return isWebAddress(text) ? undefined : "the address must start with http:// or https://";
}

/** The problem with a start block, if any. */
export function blockProblem(text: string): string | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) <= largestBlock
    ? undefined
    : `a block number is a whole number from 0 to ${largestBlock}.`;
}

/** The problem with a subgraph's name, if any. */
export function nameProblem(text: string): string | undefined {
  return /^[a-zA-Z][\w-]*(?:\/[a-zA-Z0-9][\w+.-]*)?$/.test(text)
    ? undefined
    : "write <name>/<version>, such as pools/1.0.0; names begin with a letter and contain only letters, digits, - and _.";
}

/** The problem with the path of a configuration to write, if any. */
export function fileProblem(text: string): string | undefined {
  return /[^/\\]\.json$/.test(text)
    ? undefined
    : "the configuration is written as JSON, so its file name must end in .json, such as subgraph.json.";
}

function emptyProblem(text: string): string | undefined {
  return text === "" ? "the path is empty." : undefined;
}
