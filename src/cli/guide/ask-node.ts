import { visible } from "../../base/text/visible.js";
import type { World } from "../../base/world.js";
import { localChains, usualLocalNode } from "../../chains/local-chains.js";
import {
  askChain,
  type ContractLook,
  lookUpContract,
  lookUpCreation,
  type NodeChain,
} from "../../discovery/look-up-contract.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { createRpcClient, type RpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import { variableOf } from "../reader/node-option.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { Answers } from "./answers.js";
import { type GuideArguments, networkProblem, nodeProblem } from "./guide-arguments.js";

/** A node that answers, and its chain. */
export interface OpenNode {
  /** May contain a key. */
  readonly url: string;
  readonly client: RpcClient;
  readonly chain: NodeChain;
}

export interface ChosenChain {
  readonly network: string;
  readonly node: OpenNode | undefined;
}

/** The given node does not answer. The message is safe to show. */
export class NodeUnavailable extends Error {
  override readonly name = "NodeUnavailable";
}

/** Milliseconds of retries; short, because the user is waiting. */
const patience = 5_000;
const timeout = 10_000;

/**
 * Determines the chain and one of its nodes from the options, the environment and the node itself, otherwise
 * by asking.
 * @param known the network of the chosen deployment
 * @throws UsageError when the node serves a different network than the one in the option
 * @throws NodeUnavailable when the node in the option does not answer
 */
export async function chooseChain(
  args: GuideArguments,
  known: string | undefined,
  world: World,
  answers: Answers,
  terminal: Terminal,
): Promise<ChosenChain> {
  const given = args.rpc === undefined ? undefined : await openNode(args.rpc, world);
  if (typeof given === "string") throw new NodeUnavailable(`--rpc: ${given}`);
  const said = args.network ?? known;
  if (given && said !== undefined && given.chain.network !== undefined && given.chain.network !== said)
    throw new UsageError(
      `--rpc: the node serves ${given.chain.network}, but the contract is on ${said}. Pass a node of ${said}, or a different --network.`,
    );
  const network = await answers.enter(
    said ?? given?.chain.network,
    { text: "Which network is the contract on?", option: "--network <name>" },
    { example: "mainnet, base, arbitrum-one, localhost …", check: networkProblem },
  );
  return { network, node: given ?? (await nodeOf(network, world, answers, terminal)) };
}

async function nodeOf(
  network: string,
  world: World,
  answers: Answers,
  terminal: Terminal,
): Promise<OpenNode | undefined> {
  const variable = variableOf(network);
  let url = terminal.env?.[variable];
  const local = url ? undefined : await localNode(network, world, answers);
  if (local) return local;
  for (;;) {
    const isAsked = !url;
    if (!url)
      url = await answers.enter(
        undefined,
        {
          text: `JSON-RPC address of a ${network} node, to find proxies and the start block (empty for none)?`,
          option: "--rpc <url>",
        },
        { fallback: "", check: (text) => (text === "" ? undefined : nodeProblem(text)) },
      );
    if (url === "") return undefined;
    const node = nodeProblem(url) ?? (await openNode(url, world));
    const found = typeof node === "string" ? undefined : node.chain.network;
    if (typeof node !== "string" && (found === undefined || found === network)) return node;
    const why = typeof node === "string" ? node : `it serves ${found}, not ${network}`;
    terminal.err(`The node${isAsked ? "" : ` in ${variable}`} cannot be used: ${visible(why)}\n`);
    if (!answers.canAsk) return undefined;
    url = undefined;
  }
}

/** The node of a local chain that answers at the usual address, if the user agrees to use it. */
async function localNode(network: string, world: World, answers: Answers): Promise<OpenNode | undefined> {
  if (!localChains.has(network) || !answers.isAsking) return undefined;
  const node = await openNode(usualLocalNode, world, { patience: 0, timeout: 1_000 });
  if (typeof node === "string" || node.chain.network !== undefined) return undefined;
  return (await answers.confirm(`Found a node at ${usualLocalNode}. Use it?`, true)) ? node : undefined;
}

/** Connects to a node. If it does not answer, returns the reason, which is safe to show. */
async function openNode(
  url: string,
  world: World,
  limits: { readonly patience: number; readonly timeout: number } = { patience, timeout },
): Promise<OpenNode | string> {
  const client = createRpcClient(url, world, { ...limits, concurrency: 4 });
  try {
    return { url, client, chain: await askChain(client) };
  } catch (error) {
    if (error instanceof ChainError || error instanceof ReorgError) return visible(error.message);
    throw error;
  }
}

/** Asks a node what is at an address, and reports when the node does not answer. */
export async function lookAt(node: OpenNode, address: string, terminal: Terminal): Promise<ContractLook> {
  const look = await lookUpContract(node.client, address.toLowerCase());
  if (look.kind === "failed") terminal.err(`The node did not answer: ${visible(look.why)}\n`);
  return look;
}

/** Asks a node for the block of a contract's creation, and reports the answer. `undefined` if it is unknown. */
export async function askForBlock(
  node: OpenNode,
  address: string,
  world: World,
  terminal: Terminal,
): Promise<number | undefined> {
  const status = new StatusLine(terminal, world.now);
  const onStep = (left: number): void => status.show(() => `searching ${left} blocks for its creation`);
  const creation = await lookUpCreation(node.client, address.toLowerCase(), onStep);
  status.end();
  if (creation.kind === "failed") terminal.err(`The node did not answer: ${visible(creation.why)}\n`);
  else if (creation.kind === "found") terminal.err(`It was created in block ${creation.block}.\n`);
  else
    terminal.err(
      `The node cannot tell which block created it, because it keeps no state of old blocks. It existed in block ${creation.latest}.\n`,
    );
  return creation.kind === "found" ? creation.block : undefined;
}
