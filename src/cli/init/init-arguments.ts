import { quote } from "../../base/text/quote.js";
import type { Optimization } from "../../compiler/asc/asc.js";
import type { ConfigOptions } from "../../compiler/scaffold/read-options.js";
import { checkDescription } from "../subgraph/description.js";
import { type ProjectName, parseProjectName } from "../subgraph/project-name.js";
import type { CacheArguments, ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments of `subgraph init`. */
export interface InitArguments extends ReportArguments, CacheArguments {
  readonly nameAndVersion?: string | undefined;
  readonly fromConfig?: string | undefined;
  readonly abi?: string | undefined;
  readonly contract?: string | undefined;
  readonly contractName?: string | undefined;
  readonly contractEvents?: string | undefined;
  readonly contractCalls?: string | undefined;
  readonly network?: string | undefined;
  readonly startBlock?: string | undefined;
  readonly callHandlers: boolean;
  readonly description?: string | undefined;
  readonly targetPath?: string | undefined;
  readonly force: boolean;
  readonly build: boolean;
  /** Whether to build the project and deploy it after writing it. */
  readonly deploy: boolean;
  readonly optimize: Optimization;
  /** How to show the results of a deployment. */
  readonly output: "table" | "json";
}

/** The task of the arguments: a configuration, or options to generate one from. */
export interface InitTask {
  /** Absent when the configuration provides the name. */
  readonly named: ProjectName | undefined;
  readonly from:
    | { readonly kind: "config"; readonly path: string }
    | { readonly kind: "options"; readonly options: ConfigOptions; readonly target: string };
}

/**
 * Interprets the arguments.
 * @throws UsageError when they contradict each other
 */
export function readInitArguments(args: InitArguments): InitTask {
  const { nameAndVersion, description, fromConfig } = args;
  const named = nameAndVersion === undefined ? undefined : parseProjectName(nameAndVersion);
  if (nameAndVersion !== undefined && !named)
    throw new UsageError(
      `${quote(nameAndVersion)} is not a subgraph name. Write <name>/<version>, such as pools/1.0.0. ` +
        "Names begin with a letter and contain only letters, digits, - and _.",
    );
  checkDescription(description);
  if (fromConfig === undefined) return fromOptions(args, named);
  const [excluded] = configOnly(args);
  if (excluded !== undefined)
    throw new UsageError(
      `--${excluded} cannot be combined with --from-config: the configuration already says what to index.`,
    );
  return { named, from: { kind: "config", path: fromConfig } };
}

function fromOptions(args: InitArguments, named: ProjectName | undefined): InitTask {
  const { abi, contract, network, nameAndVersion, targetPath } = args;
  if (configOnly(args).length === 0)
    throw new UsageError(
      "Pass a configuration with --from-config <file>, or generate one with --abi, --contract and --network.",
    );
  if (abi === undefined || contract === undefined || network === undefined) {
    const missing = Object.entries({ abi, contract, network }).flatMap(([option, value]) =>
      value === undefined ? [`--${option}`] : [],
    );
    throw new UsageError(
      `${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing: ` +
        "without --from-config, pass --abi <file>, --contract <address> and --network <chain>.",
    );
  }
  const target = targetPath ?? named?.name;
  if (target === undefined)
    throw new UsageError("Say where to write: pass a subgraph name, such as pools/1.0.0, or --target-path.");
  const { contractName, contractEvents, contractCalls, startBlock, callHandlers } = args;
  const options = {
    name: nameAndVersion,
    abi,
    contract,
    network,
    contractName,
    contractEvents,
    contractCalls,
    startBlock,
    callHandlers,
  };
  return { named, from: { kind: "options", options, target } };
}

/** Whether the options name no configuration, nothing to generate one from, and nothing to do with it. */
export function isWithoutTask(args: InitArguments): boolean {
  const { fromConfig, targetPath, description, build, deploy, callHandlers } = args;
  const isNamed = [fromConfig, targetPath, description].some((one) => one !== undefined);
  return !isNamed && !build && !deploy && !callHandlers && configOnly(args).length === 0;
}

/** The given options that a configuration already covers. */
function configOnly(args: InitArguments): readonly string[] {
  return Object.entries({
    abi: args.abi,
    contract: args.contract,
    network: args.network,
    "contract-name": args.contractName,
    "start-block": args.startBlock,
    "contract-events": args.contractEvents,
    "contract-calls": args.contractCalls,
  }).flatMap(([option, value]) => (value === undefined ? [] : [option]));
}
