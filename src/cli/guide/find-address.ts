import type { FoundDeployment } from "../../discovery/found.js";
import { type ContractLook, lookUpPast, lookUpProxies } from "../../discovery/look-up-contract.js";
import { deploymentAt, inFrontOf, isAt, onceEach, onceInFrontOf } from "../../discovery/pair-deployments.js";
import type { Answers } from "./answers.js";
import { type ChosenChain, lookAt, type OpenNode } from "./ask-node.js";
import { shortAddress } from "./choose-contract.js";
import { addressProblem } from "./guide-arguments.js";
import type { Guide } from "./guide-context.js";

/** An address, and the facts about it. */
export interface FoundAddress {
  readonly address: string;
  /** The node's answer about it; absent without a node, or if the node does not answer. */
  readonly look: Extract<ContractLook, { kind: "contract" }> | undefined;
  /** Its record, if there is one. */
  readonly deployment: FoundDeployment | undefined;
}

/** Limit of deployments to ask a node about. */
const mostAsked = 20;

/**
 * Finds the address to index: from an option, the chosen deployment, or by asking until the address has a contract.
 * For a contract behind a proxy, it is the proxy's address, because the events are emitted there.
 * @param chosen the chosen deployment
 * @returns `undefined` after reporting why there is none
 */
export async function findAddress(
  chosen: FoundDeployment | undefined,
  chain: ChosenChain,
  guide: Guide,
): Promise<FoundAddress | undefined> {
  const own = await findOwn(chosen, chain, guide);
  const front = own && !own.look?.proxy ? await findFront(own, chain, guide) : undefined;
  if (!front) return own;
  const look = chain.node && (await lookAt(chain.node, front.address, guide.terminal));
  return {
    address: front.address,
    look: look?.kind === "contract" ? look : undefined,
    deployment: front,
  };
}

async function findOwn(
  chosen: FoundDeployment | undefined,
  { network, node }: ChosenChain,
  { args, answers, terminal, records }: Guide,
): Promise<FoundAddress | undefined> {
  const given = args.contract ?? chosen?.address;
  for (;;) {
    const question = { text: `Address of the contract on ${network}?`, option: "--contract <address>" };
    const address = await answers.enter(given, question, { example: "0x…", check: addressProblem });
    const deployment = deploymentAt(address, network, records);
    const look = node && (await lookAt(node, address, terminal));
    if (look?.kind !== "empty")
      return { address, look: look?.kind === "contract" ? look : undefined, deployment };
    const startBlock = args.startBlock ?? deployment?.startBlock;
    if (node && startBlock !== undefined && (await wasThere(node, address, Number(startBlock)))) {
      terminal.err(
        `The contract at ${address} on ${network} no longer exists, but it did in block ${startBlock}. Its history is indexed from there.\n`,
      );
      return { address, look: undefined, deployment };
    }
    terminal.err(
      `There is no contract at ${address} on ${network}.\n` +
        "If it destroyed itself, its events are still on the chain: pass the block of its creation with --start-block, " +
        "and omit --rpc if the node keeps no state of old blocks.\n",
    );
    if (given !== undefined || !answers.canAsk) return undefined;
  }
}

async function wasThere({ client }: OpenNode, address: string, block: number): Promise<boolean> {
  const past = await lookUpPast(client, address.toLowerCase(), block);
  return past.kind === "asked" && past.wasThere;
}

/** The proxy to index instead of an implementation; `undefined` if there is none, or the user declines it. */
async function findFront(
  { address }: FoundAddress,
  chain: ChosenChain,
  guide: Guide,
): Promise<FoundDeployment | undefined> {
  const { args, answers, terminal, records } = guide;
  const fronts = await frontsOf(address, chain, guide);
  const isAbandoned = fronts.length === 0;
  // Without a node, a recorded proxy is one of the proxies above.
  const former = [
    ...onceInFrontOf(address, chain.network, records),
    ...inFrontOf(address, chain.network, records),
  ];
  const front = await chooseFront(address, isAbandoned ? onceEach(former) : fronts, answers);
  if (!front) return undefined;
  const at = `${front.contract} at ${front.address}`;
  terminal.err(
    isAbandoned
      ? `${at} is a proxy that ran ${address} until it was upgraded. The events are emitted at the proxy's address.\n`
      : `${at} is a proxy for ${address}. The events are emitted at the proxy's address.\n`,
  );
  const isMeant = args.contract !== undefined && !answers.isAsking;
  if (isMeant) terminal.err(`To index them, pass that address: --contract ${front.address}\n`);
  else if (await answers.confirm(`Index the proxy, ${shortAddress(front.address)}?`, true)) {
    terminal.err(`Using the proxy's address, with the ABI of its implementation.\n`);
    return front;
  }
  return undefined;
}

/** The proxies in front of an address. A node is preferred to the records, because it knows unrecorded upgrades. */
async function frontsOf(
  address: string,
  { network, node }: ChosenChain,
  { records }: Guide,
): Promise<readonly FoundDeployment[]> {
  const recorded = inFrontOf(address, network, records);
  if (!node) return recorded;
  const others = records.filter((one) => one.network === network && !isAt(one, address));
  const asked = onceEach([...recorded, ...others]).slice(0, mostAsked);
  const addresses = asked.map((one) => one.address.toLowerCase());
  const told = await lookUpProxies(node.client, addresses, address.toLowerCase());
  return told.kind === "asked"
    ? asked.filter((one) => told.proxies.some((proxy) => isAt(one, proxy)))
    : recorded;
}

async function chooseFront(
  address: string,
  fronts: readonly FoundDeployment[],
  answers: Answers,
): Promise<FoundDeployment | undefined> {
  if (fronts.length === 0) return undefined;
  const question = {
    text: `Several proxies point to ${shortAddress(address)}. Which one?`,
    option: "--contract <address>",
  };
  const choices = fronts.map((one) => ({
    value: one.address,
    label: `${one.contract} at ${one.address}`,
    hint: one.path,
  }));
  const answer = await answers.choose(question, choices);
  return fronts.find((one) => one.address === answer);
}
