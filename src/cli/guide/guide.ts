import { snakeCase } from "../../base/snake-case.js";
import { visible } from "../../base/visible.js";
import type { World } from "../../base/world.js";
import type { Host } from "../../compiler/host.js";
import { draftConfig } from "../../discovery/draft-config.js";
import { findProjects } from "../../discovery/find-projects.js";
import type { ContractLook } from "../../discovery/look-up-contract.js";
import { readAbiFile } from "../../discovery/read-abi.js";
import { createNodeHost } from "../../node/host.js";
import { createNodeWorld } from "../../node/world.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { Answers } from "./answers.js";
import { type ChosenChain, chooseChain, lookAt } from "./ask-node.js";
import { chooseContent } from "./choose-content.js";
import { type ChosenContract, chooseContract, type KnownAbi, stemOf } from "./choose-contract.js";
import { askForAbi, askForCreation, explorerOf } from "./explorer.js";
import {
  addressProblem,
  blockProblem,
  checkGuideArguments,
  type GuideArguments,
  nameProblem,
} from "./guide-arguments.js";
import { introduce } from "./introduce.js";
import { showConfig, showConfigs } from "./show-configs.js";
import { abiPathBeside, choosePlace, pathFrom, schemaPath, writeConfig } from "./write-config.js";

/** A guide under way: what it asks with, and what it may look at. */
interface Guide {
  readonly args: GuideArguments;
  readonly terminal: Terminal;
  readonly answers: Answers;
  readonly host: Host;
  readonly world: World;
}

/** An address, and what a node says of it; nothing without a node. */
interface FoundAddress {
  readonly address: string;
  readonly look: Extract<ContractLook, { kind: "contract" }> | undefined;
}

/** A contract of which everything is known. */
interface KnownContract {
  readonly name: string;
  readonly address: string;
  readonly startBlock: number;
  readonly abi: KnownAbi;
}

/**
 * The guided start: finds what is in the folder, asks for what it cannot know, writes a configuration, checks it, and
 * says what to do next. Whatever is asked is answered by options, too.
 * @returns the exit code
 */
export async function runGuide(args: GuideArguments, terminal: Terminal): Promise<number> {
  checkGuideArguments(args);
  const { cwd } = terminal;
  const guide: Guide = {
    ...{ args, terminal },
    answers: new Answers(terminal, args.yes),
    host: createNodeHost({ cwd }),
    world: createNodeWorld(terminal.signal),
  };
  const found = await findProjects(guide.host);
  const asksForOne = [args.file, args.abi, args.contract, args.contractName].some((one) => one !== undefined);
  if (guide.answers.canAsk && !asksForOne) {
    terminal.err(introduce(found));
    if (found.configs.length > 0) {
      const code = await showConfigs(found.configs, args, terminal);
      if (!(await guide.answers.confirm("Write another configuration?", false))) return code;
    }
  }
  const canBeTold = explorerOf(args.explorerUrl, undefined, terminal) !== undefined;
  const contract = await chooseContract(args, found, guide.host, guide.answers, canBeTold);
  const chain = await chooseChain(args, contract.deployment?.network, guide.world, guide.answers, terminal);
  const known = await completeContract(contract, chain, guide);
  return known === undefined ? exitCodes.diagnostics : finish(known, chain, guide);
}

/** Finds out what is missing of a contract; `undefined` after saying why it cannot be indexed. */
async function completeContract(
  chosen: ChosenContract,
  chain: ChosenChain,
  guide: Guide,
): Promise<KnownContract | undefined> {
  const { args, terminal, answers, world } = guide;
  const { deployment } = chosen;
  const explorer = explorerOf(args.explorerUrl, chain.node?.chain.chainId, terminal);
  const knownBlock = args.startBlock ?? deployment?.startBlock;
  const found = await findAddress(
    args.contract ?? deployment?.address,
    knownBlock === undefined,
    chain,
    guide,
  );
  if (!found) return undefined;
  const { address, look } = found;
  const told =
    chosen.abi || !explorer
      ? undefined
      : await askForAbi(explorer, address, look?.proxy?.implementation, world, terminal);
  const abi = chosen.abi ?? (told ? { read: told.abi } : await askForFile(guide));
  const createdIn =
    knownBlock ??
    (look?.creation.kind === "found" ? look.creation.block : undefined) ??
    (explorer && (await askForCreation(explorer, address, world, terminal)));
  const startBlock = await answers.enter(
    createdIn === undefined ? undefined : String(createdIn),
    {
      text: "From which block on? The one of its creation misses nothing.",
      option: "--start-block <number>",
    },
    { example: "0", check: blockProblem },
  );
  const name = chosen.name ?? told?.name ?? (abi.path === undefined ? "Contract" : stemOf(abi.path));
  return { name, address, startBlock: Number(startBlock), abi };
}

/**
 * The address of the contract, and what the node says of it.
 * @param given by an option or a deployment; otherwise it is asked for, until there is a contract
 */
async function findAddress(
  given: string | undefined,
  needsBlock: boolean,
  { network, node }: ChosenChain,
  { answers, terminal, world }: Guide,
): Promise<FoundAddress | undefined> {
  for (;;) {
    const question = { text: `Address of the contract on ${network}?`, option: "--contract <address>" };
    const address = await answers.enter(given, question, { example: "0x…", check: addressProblem });
    const look = node && (await lookAt(node, address, needsBlock, world, terminal));
    if (look?.kind !== "empty") return { address, look: look?.kind === "contract" ? look : undefined };
    terminal.err(`There is no contract at ${address} on ${network}.\n`);
    if (given !== undefined || !answers.canAsk) return undefined;
  }
}

async function askForFile({ answers, host, terminal }: Guide): Promise<KnownAbi> {
  const question = {
    text: "Which file has its ABI?",
    option: "--abi <file>, or have an explorer asked with --explorer-url <address>",
  };
  for (;;) {
    const check = (text: string): string | undefined => (text === "" ? "name a file." : undefined);
    const path = await answers.enter(undefined, question, { example: "abis/Vault.json", check });
    const read = await readAbiFile(path, host);
    if (read.kind === "abi") return { read, path };
    terminal.err(`That file ${visible(read.why)}.\n`);
  }
}

/** Chooses what is indexed and where it is written, writes it, checks it, and says how to go on. */
async function finish(
  contract: KnownContract,
  { network, node }: ChosenChain,
  guide: Guide,
): Promise<number> {
  const { args, terminal, answers, host } = guide;
  const { cwd } = terminal;
  const { address, startBlock, abi } = contract;
  const content = await chooseContent(args, abi.read, answers);
  const label = abiLabel(contract.name);
  const name = await answers.enter(
    args.name,
    { text: "Name of the subgraph?", option: "--name <name>/<version>" },
    { fallback: `${subgraphName(label)}/1.0.0`, check: nameProblem },
  );
  const place = await choosePlace(args, answers, host, terminal);
  if (!place) return exitCodes.diagnostics;
  const { file } = place;
  const abiText = `${JSON.stringify(content.entries, null, 2)}\n`;
  const isInFile = content.isWhole && abi.path !== undefined;
  const abiFile = isInFile ? undefined : await abiPathBeside(file, label, abiText, host);
  const abiPath = pathFrom(file, abiFile ?? abi.path ?? "", cwd);
  const schema = await schemaPath(file, host, cwd);
  const { reads } = content;
  const text = draftConfig({
    ...{ schema: schema.path, name, callHandlers: args.callHandlers === true },
    contract: { abi: label, abiPath, address, chain: network, startBlock, reads },
  });
  const beside = abiFile === undefined ? undefined : { path: abiFile, text: abiText };
  const written = await writeConfig(place, text, beside, terminal);
  if (written !== exitCodes.clean) return written;
  const more = { rpc: node?.url, isUninstalled: !schema.isThere };
  const { code, steps } = await showConfig(file, args, terminal, more);
  terminal.out(steps);
  return code;
}

/** A contract's name as the key of its ABI, which allows fewer characters. */
function abiLabel(name: string): string {
  const label = name.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 80);
  return /[A-Za-z0-9]/.test(label) ? label : "Contract";
}

/** `uniswap-v3-pool` for `UniswapV3Pool`. */
function subgraphName(label: string): string {
  const name = snakeCase(label).replaceAll("_", "-");
  if (name === "") throw new UsageError("Say how the subgraph is called: --name <name>/<version>");
  return /^[a-z]/.test(name) ? name : `contract-${name}`;
}
