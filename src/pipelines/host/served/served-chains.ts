import { join } from "node:path";
import type { Port } from "../../../base/turns/port.js";
import type { ArchiveFiles, LocalArchiveFiles } from "../../../datasets/archive/archive-files.js";
import { askIdentity } from "../../../datasets/archive/identity.js";
import { openReadableChain } from "../../../datasets/archive/readable-chain.js";
import { patientSource } from "../../../datasets/extract/patient-source.js";
import { WaitingTeller } from "../../../datasets/extract/waiting-text.js";
import { archiveOverPort } from "../../../hosting/embedded/archive-port.js";
import { createThreadWorld, type ThreadWorld } from "../../../hosting/embedded/thread-world.js";
import { turnsOverPort } from "../../../hosting/embedded/turns/shared-source.js";
import { longestTurn, NodesOverPort } from "../../../rpc/nodes-over-port.js";
import { createPatience } from "../../../runtime/chain/rpc/patience.js";
import { createRpcClient } from "../../../runtime/chain/rpc/rpc-client.js";
import type { HistorySource } from "../../../runtime/indexer/history/history-source.js";
import type { VerifyMode } from "../../../runtime/indexer/logs/verification.js";
import { createSource } from "../../../runtime/sources/create-source.js";
import { takingTurns } from "../../../runtime/sources/taking-turns.js";
import { SourceError } from "../../sources/source-error.js";
import type { PipelineStart } from "../messages.js";
import { type ChainReading, type OpenedChain, refuse } from "../open-sources.js";
import type { PipelineLine } from "../pipeline-engine.js";

/** The nodes of a network, as a pipeline's process reaches them. */
interface ServedNodes {
  readonly name: string;
  readonly nodes: NodesOverPort;
  readonly heads: HeadNews;
  /** Opens the service with the history of the network, for one source. */
  openHistory?(): HistorySource;
}

/** What the process of a pipeline reads chains with. */
interface ServedChainWorld {
  readonly world: ThreadWorld;
  say(level: PipelineLine["level"], text: string): void;
  readonly signal: AbortSignal;
}

/** Milliseconds after which the chain head is looked at even if no new one was announced. */
const longestWait = 15_000;
/** Milliseconds of retries before a source counts as stalled, which it says and then tries again. */
const patience = 20_000;
/** Requests under way at once, for each sink. */
const concurrency = 4;
/** Bytes of segments' files whose content stays in memory. */
const cachedBytes = 8 * 1_048_576;

/**
 * How the chains of the server are read, whose nodes and archive are behind channels. Nodes that do not answer make a
 * source stall; they never end it.
 * @param openChannel opens a channel by its number
 */
export function servedChains(
  { networks, archive, verify }: Pick<PipelineStart, "networks" | "archive" | "verify">,
  openChannel: (channel: number) => Port,
  opened: ServedChainWorld,
): ChainReading {
  const { world, say, signal } = opened;
  const served = new Map(
    networks.map(({ network, name, channel, history }): [string, ServedNodes] => {
      const nodes = new NodesOverPort(openChannel(channel), signal);
      const heads = new HeadNews(() =>
        nodes.newHead((milliseconds) => world.sleep(milliseconds), longestWait),
      );
      if (!history) return [network, { name, nodes, heads }];
      const turns = turnsOverPort(openChannel(history.channel), signal);
      const onNote = (why: string): void => say("warn", why);
      // The place is the operator's choice, so it may be anywhere.
      const open = createThreadWorld(fetch, signal);
      const openHistory = (): HistorySource =>
        takingTurns(createSource(history.place, open, { onNote }), turns, onNote);
      return [network, { name, nodes, heads, openHistory }];
    }),
  );
  const files = archive && archiveIn(archive, openChannel);
  return {
    open: (network, asked) => openChain(network, served.get(network), asked, { files, verify, ...opened }),
    stalls: true,
    waiting: new WaitingTeller((text) => say("info", text)),
    signal,
  };
}

/** The archive through the server, except for files that the SQL engine reads by itself. */
function archiveIn(
  { channel, folder }: NonNullable<PipelineStart["archive"]>,
  openChannel: (channel: number) => Port,
): LocalArchiveFiles | ArchiveFiles {
  const served = archiveOverPort(openChannel(channel));
  return folder === undefined ? served : { ...served, locate: (path) => join(folder, path) };
}

async function openChain(
  network: string,
  served: ServedNodes | undefined,
  { chainId, last }: Parameters<ChainReading["open"]>[1],
  {
    files,
    verify,
    world,
    say,
    signal,
  }: ServedChainWorld & { readonly files: ArchiveFiles | undefined; readonly verify: VerifyMode },
): Promise<OpenedChain> {
  if (!served)
    throw new SourceError(
      `This server has no node of ${network}. Its operator can add one with --rpc ${network}=<url>.`,
      false,
    );
  const { fetch } = served.nodes;
  const node = createRpcClient(
    served.name,
    { ...world, fetch },
    { timeout: longestTurn, patience, concurrency },
  );
  const reader = await openReadableChain({
    network,
    node,
    files,
    to: last,
    cachedBytes,
    onRefused: refuse,
    onDamage: (why) => say("warn", `Part of the archive is not used: ${why}`),
    onTrouble: (why) => say("warn", `No longer writing to the archive: ${why}`),
  });
  const identity = await askIdentity(reader.identity, chainId);
  if (chainId !== undefined && identity.chainId !== chainId)
    throw new SourceError(
      `The server's node of ${network} is of chain ${identity.chainId}, but ${network} is chain ${chainId}.`,
      false,
    );
  const retries = createPatience({
    patience,
    pause: (wait) => world.sleep(wait),
    random: () => world.random(),
    signal,
  });
  const telling = {
    verify,
    say: (text: string) => say("warn", text),
    history: served.openHistory?.(),
    random: () => world.random(),
  };
  return {
    reader,
    source: patientSource(reader, identity.chainId, retries, telling),
    patience: retries,
    newBlocks: served.heads.listener(),
  };
}

/** Tells several sources of new heads of one chain, each of every one that it has not heard of. */
export class HeadNews {
  readonly #wait: () => Promise<void>;
  #count = 0;
  #waiting: Promise<void> | undefined;

  /** @param wait resolves at the next new head, or after a while */
  constructor(wait: () => Promise<void>) {
    this.#wait = wait;
  }

  /** What a source hears from its first call on. */
  listener(): () => Promise<void> {
    let heard = this.#count;
    return async () => {
      // A head that came while the source was busy is news to it.
      if (heard === this.#count) await this.#next();
      heard = this.#count;
    };
  }

  #next(): Promise<void> {
    this.#waiting ??= this.#wait().finally(() => {
      this.#count += 1;
      this.#waiting = undefined;
    });
    return this.#waiting;
  }
}
