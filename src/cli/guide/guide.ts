import { resolve } from "node:path";
import { snakeCase } from "../../base/text/snake-case.js";
import { visible } from "../../base/text/visible.js";
import type { Host } from "../../compiler/host.js";
import { addContract } from "../../discovery/add-contract.js";
import { draftConfig } from "../../discovery/draft-config.js";
import { type FoundProjects, findProjects } from "../../discovery/find-projects.js";
import type { FoundConfig, FoundContract } from "../../discovery/found.js";
import type { ContractLook } from "../../discovery/look-up-contract.js";
import { readTextFile } from "../../discovery/read-abi.js";
import { createNodeHost } from "../../machine/files/host.js";
import { createNodeWorld } from "../../machine/world.js";
import { compileConfig, compileProject } from "../compile/compile-project.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { wrapping } from "../terminal/word-wrap.js";
import { Answers } from "./answers.js";
import { type ChosenChain, chooseChain, NodeUnavailable } from "./ask-node.js";
import { type ChosenContent, chooseContent } from "./choose-content.js";
import { type ChosenContract, chooseContract, type KnownAbi, stemOf } from "./choose-contract.js";
import { explorerOf } from "./explorer.js";
import { findAbi } from "./find-abi.js";
import { findAddress } from "./find-address.js";
import { findStartBlock } from "./find-start-block.js";
import { checkGuideArguments, type GuideArguments, nameProblem } from "./guide-arguments.js";
import type { Guide } from "./guide-context.js";
import { nextSteps } from "./next-steps.js";
import { tellRecords } from "./tell-records.js";
import { abiPathBeside, agentsFile, choosePlace, pathFrom, schemaPath, writeConfig } from "./write-config.js";

/** A contract with everything that a configuration requires. */
interface KnownContract {
  readonly name: string;
  readonly address: string;
  readonly startBlock: number;
  readonly abi: KnownAbi;
}

/** The ABI of a contract as a configuration names it. */
interface PlacedAbi {
  /** Relative to the configuration. */
  readonly path: string;
  /** The file to write if the ABI is not in a file yet. Its path is relative to the working directory. */
  readonly beside: { readonly path: string; readonly text: string } | undefined;
}

/**
 * The guided start: looks for contracts in the folder, asks for what is missing, writes a configuration, checks it, and
 * prints the next steps. Options can answer every question.
 * @returns the exit code
 */
export async function runGuide(args: GuideArguments, terminal: Terminal): Promise<number> {
  checkGuideArguments(args);
  const { cwd } = terminal;
  const host = createNodeHost({ cwd });
  const found = await findProjects(host, terminal.env);
  const guide: Guide = {
    args,
    terminal: wrapping(terminal),
    plain: terminal,
    host,
    answers: new Answers(terminal, args.yes),
    world: createNodeWorld(terminal.signal),
    contracts: found.contracts,
    records: found.deployments,
  };
  let extended: string | undefined;
  const asksForOne = [args.file, args.abi, args.contract, args.contractName].some((one) => one !== undefined);
  if (guide.answers.canAsk && !asksForOne) {
    guide.terminal.err(introduce(found));
    if (found.configs.length > 0) {
      const code = await showConfigs(found.configs, args, terminal);
      const next = await chooseNext(found.configs, guide);
      if (next === leave) return code;
      if (next !== another) extended = next;
    }
  }
  try {
    return await leadOn(found, extended, guide);
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error;
    guide.terminal.err(`${error.message}\n`);
    return exitCodes.remote;
  }
}

const [leave, another] = ["leave", "another"];

/** Asks what to do if there are configurations. The answer may be the path of the one to add a contract to. */
async function chooseNext(configs: readonly FoundConfig[], { answers, args }: Guide): Promise<string> {
  if (!answers.isAsking) return leave;
  // Indexing calls is a setting of the whole configuration.
  const extensible = configs.filter(({ path }) => /\.json5?$/i.test(path) && args.callHandlers !== true);
  return answers.choose(
    { text: "What next?", option: "a file to write, for example graphloom init pools.json" },
    [
      { value: leave, label: "Nothing more" },
      ...extensible.map(({ path }) => ({ value: path, label: `Add a contract to ${path}` })),
      { value: another, label: "Write a new configuration" },
    ],
  );
}

/** @param extended the configuration to add a contract to; absent to write a new one */
async function leadOn(found: FoundProjects, extended: string | undefined, guide: Guide): Promise<number> {
  const { args, terminal, answers, host, world } = guide;
  const canBeTold = explorerOf(args.explorerUrl, undefined, terminal) !== undefined;
  const contract = await chooseContract(args, found, host, answers, canBeTold);
  const chain = await chooseChain(args, contract.deployment?.network, world, answers, terminal);
  const known = await completeContract(contract, chain, guide);
  if (known === undefined) return exitCodes.diagnostics;
  return extended === undefined ? finish(known, chain, guide) : extendConfig(extended, known, chain, guide);
}

/** Determines what is missing about a contract; `undefined` after reporting why it cannot be indexed. */
async function completeContract(
  chosen: ChosenContract,
  chain: ChosenChain,
  guide: Guide,
): Promise<KnownContract | undefined> {
  const { args, terminal } = guide;
  const explorer = explorerOf(args.explorerUrl, chain.node?.chain.chainId, terminal);
  const found = await findAddress(chosen.deployment, chain, guide);
  if (!found) return undefined;
  if (found.look) tellLook(found.look, terminal);
  const { name, abi } = await findAbi(chosen, found, chain, explorer, guide);
  tellRecords(found, abi.read, guide);
  if (!hasContent(abi, args)) {
    terminal.err(
      `Nothing was written: the ABI${abi.path === undefined ? "" : ` in ${visible(abi.path)}`} has no events to index. ` +
        "Pass a different one with --abi, or index function calls with --call-handlers.\n",
    );
    return undefined;
  }
  const startBlock = await findStartBlock(found, chain, explorer, guide);
  if (startBlock === undefined) return undefined;
  const named = name ?? (abi.path === undefined ? "Contract" : stemOf(abi.path));
  return { name: named, address: found.address, startBlock, abi };
}

function hasContent({ read }: KnownAbi, { callHandlers }: GuideArguments): boolean {
  return read.abi.events.some(({ anonymous }) => !anonymous) || callHandlers === true;
}

/** Chooses what to index and where to write, writes and checks the configuration, and prints the next steps. */
async function finish(
  contract: KnownContract,
  { network, node }: ChosenChain,
  guide: Guide,
): Promise<number> {
  const { args, terminal, answers, host } = guide;
  const { cwd } = terminal;
  const { address, startBlock } = contract;
  const content = await chooseContent(args, contract.abi.read, answers);
  const label = abiLabel(contract.name);
  const name = await answers.enter(
    args.name,
    { text: "Name of the subgraph?", option: "--name <name>/<version>" },
    { fallback: `${subgraphName(label)}/1.0.0`, check: nameProblem },
  );
  const place = await choosePlace(args, answers, host, terminal);
  if (!place) return exitCodes.diagnostics;
  const { file } = place;
  const { path: abiPath, beside } = await placeAbi(file, label, contract, content, guide);
  const schema = await schemaPath(file, host, cwd);
  const { reads } = content;
  const text = draftConfig({
    schema: schema.path,
    name,
    callHandlers: args.callHandlers === true,
    contract: { abi: label, abiPath, address, chain: network, startBlock, reads },
  });
  const drafts = new Map([[file, text], ...(beside ? [[beside.path, beside.text] as const] : [])]);
  if (!(await checkDraft(file, drafts, guide))) {
    terminal.err(`Nothing was written: ${visible(file)} would not compile.\n`);
    return exitCodes.diagnostics;
  }
  const agents = await agentsFile(file, host);
  const written = await writeConfig(
    place,
    text,
    [beside, agents].filter((one) => one !== undefined),
    terminal,
  );
  if (written !== exitCodes.clean) return written;
  const more = { rpc: node?.url, isUninstalled: !schema.isThere };
  const { code, steps } = await showConfig(file, args, guide.plain, more);
  terminal.out(steps);
  return code;
}

/** `uniswap-v3-pool` for `UniswapV3Pool`. */
function subgraphName(label: string): string {
  const name = snakeCase(label).replaceAll("_", "-");
  if (name === "") throw new UsageError("Name the subgraph: --name <name>/<version>");
  return /^[a-z]/.test(name) ? name : `contract-${name}`;
}

/**
 * Adds a contract to an existing configuration if the result compiles, and prints the next steps.
 * @returns the exit code
 */
async function extendConfig(
  file: string,
  contract: KnownContract,
  { network, node }: ChosenChain,
  guide: Guide,
): Promise<number> {
  const { args, answers, host, terminal } = guide;
  const content = await chooseContent(args, contract.abi.read, answers);
  const label = abiLabel(contract.name);
  const { path, beside } = await placeAbi(file, label, contract, content, guide);
  const before = await readTextFile(file, host);
  const { address, startBlock } = contract;
  const drafted = { abi: label, abiPath: path, address, chain: network, startBlock, reads: content.reads };
  const text = before.kind === "text" ? addContract({ path: file, text: before.text }, drafted) : undefined;
  if (text === undefined) {
    terminal.err(`Nothing was written: ${visible(file)} has no list of contracts to add to.\n`);
    return exitCodes.diagnostics;
  }
  const drafts = new Map([[file, text], ...(beside ? [[beside.path, beside.text] as const] : [])]);
  if (!(await checkDraft(file, drafts, guide))) {
    terminal.err(`Nothing was written: ${visible(file)} would not compile with the contract added.\n`);
    return exitCodes.diagnostics;
  }
  const written = await writeConfig({ file, replaces: true }, text, beside ? [beside] : [], terminal);
  if (written !== exitCodes.clean) return written;
  const { code, steps } = await showConfig(file, args, guide.plain, { rpc: node?.url });
  terminal.out(steps);
  return code;
}

/** The introduction: what the program does, and what was found in the folder. */
function introduce({ configs, contracts, deployments }: FoundProjects): string {
  const lines = [
    "graphloom builds a subgraph from one file. Answer a few questions to write it; Ctrl-C leaves nothing behind.",
    ...configs.map(({ path }) => `Found the configuration ${visible(path)}.`),
    ...toolsOf(contracts).map(([tool, own]) =>
      tool === "an ABI" ? `Found ABIs: ${namesOf(own)}.` : `Found contracts from ${tool}: ${namesOf(own)}.`,
    ),
    ...(deployments.length > 0 ? [`Found records of ${count(deployments.length, "deployment")}.`] : []),
  ];
  if (lines.length === 1)
    lines.push(
      "This folder has no configuration, and no contracts built with Foundry or Hardhat.",
      "To see a working subgraph first: graphloom dev --demo",
    );
  return `${lines.join("\n")}\n\n`;
}

function toolsOf(
  contracts: readonly FoundContract[],
): readonly (readonly [string, readonly FoundContract[]])[] {
  const tools = [...new Set(contracts.map(({ tool }) => tool))];
  return tools.map((tool) => [tool, contracts.filter((one) => one.tool === tool)]);
}

function namesOf(contracts: readonly FoundContract[]): string {
  const names = [...new Set(contracts.map(({ name }) => name))];
  const left = names.length - 6;
  return names.slice(0, 6).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

/** Finds the place of an ABI: its file, or a new file beside the configuration if no file has exactly this ABI. */
async function placeAbi(
  config: string,
  label: string,
  { abi }: KnownContract,
  content: ChosenContent,
  { host, terminal }: Guide,
): Promise<PlacedAbi> {
  if (content.isWhole && abi.path !== undefined)
    return { path: pathFrom(config, abi.path, terminal.cwd), beside: undefined };
  const text = `${JSON.stringify(content.entries, null, 2)}\n`;
  const path = await abiPathBeside(config, label, text, host);
  return { path: pathFrom(config, path, terminal.cwd), beside: { path, text } };
}

/** Converts a contract's name to the key of its ABI, which allows fewer characters. */
function abiLabel(name: string): string {
  const label = name.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 80);
  return /[A-Za-z0-9]/.test(label) ? label : "Contract";
}

/** Summarizes the configurations of a folder, reports their errors, and prints the next steps for the first one. */
async function showConfigs(
  configs: readonly FoundConfig[],
  args: GuideArguments,
  terminal: Terminal,
): Promise<number> {
  let code: number = exitCodes.clean;
  let steps = "";
  for (const { path } of configs) {
    const shown = await showConfig(path, args, terminal);
    if (shown.code !== exitCodes.clean) code = shown.code;
    if (steps === "") steps = shown.steps;
  }
  wrapping(terminal).out(steps);
  return code;
}

/**
 * Checks one configuration and summarizes it.
 * @returns the exit code, and the next steps
 */
async function showConfig(
  path: string,
  args: GuideArguments,
  terminal: Terminal,
  more: { readonly rpc?: string | undefined; readonly isUninstalled?: boolean } = {},
): Promise<{ readonly code: number; readonly steps: string }> {
  const project = await compileProject(path, false, {}, args, terminal);
  if (!project) {
    const file = visible(path);
    const steps = `${file} has errors. Next:\n  graphloom check ${file} --watch\n      while you fix them\n`;
    return { code: exitCodes.diagnostics, steps };
  }
  const { name, version, chains } = project.model;
  const known = name === undefined || version === undefined ? undefined : `${name}/${version}`;
  wrapping(terminal).out(`${visible(path)} is valid: ${known ?? name ?? "unnamed"}\n${project.summary}`);
  const steps = nextSteps({
    file: path,
    chains: chains.map(({ chain }) => chain),
    name: known,
    columns: terminal.outColor ? terminal.columns : undefined,
    ...more,
  });
  return { code: exitCodes.clean, steps };
}

/**
 * Checks a configuration that is not written yet, and shows its errors.
 * @param files the configuration and the files to be written beside it: contents by path, as the user gave it
 * @returns whether it compiles
 */
async function checkDraft(
  config: string,
  files: ReadonlyMap<string, string>,
  { args, plain: terminal, host }: Guide,
): Promise<boolean> {
  const draft = withDrafts(files, host, terminal.cwd);
  const { model, diagnostics } = await compileConfig(config, false, {}, args, terminal, { host: draft });
  if (!model) reportDiagnostics(diagnostics, args, terminal);
  return model !== undefined;
}

/** A host that also sees files that are not written yet. */
function withDrafts(files: ReadonlyMap<string, string>, host: Host, cwd: string): Host {
  const drafts = new Map([...files].map(([path, text]) => [resolve(cwd, path), text]));
  return {
    ...host,
    readFile: async (path, limit) => {
      const text = drafts.get(resolve(cwd, path));
      return text === undefined
        ? host.readFile(path, limit)
        : { kind: "bytes", bytes: new TextEncoder().encode(text) };
    },
  };
}

/** Reports a node's facts about a contract that matter to a user of its events. */
function tellLook({ proxy, nature }: Extract<ContractLook, { kind: "contract" }>, terminal: Terminal): void {
  if (proxy)
    terminal.err(
      `It is a proxy (${proxy.kind}) that runs the code of ${proxy.implementation}. That contract's ABI has its events.\n`,
    );
  if (nature?.kind === "implementation")
    terminal.err(
      "It is built to run behind a proxy (UUPS). The events are emitted at the proxy's address; if it has a proxy, index that.\n",
    );
  if (nature?.kind === "diamond")
    terminal.err(
      `It is a diamond (ERC-2535) with its code in ${nature.facets} other ${nature.facets === 1 ? "contract" : "contracts"}. ` +
        "Pass an ABI with the events of all of them: events that it lacks are not indexed.\n",
    );
}
