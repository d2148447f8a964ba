import { visible } from "../../base/text/visible.js";
import { numberOf, type ToldError, type ToldStatus } from "../../deploy/graph-node/told-status.js";
import type { HostedError, HostedHold, HostedStatus } from "../engine.js";
import type { Absence } from "./mirror.js";

/** The known facts about a deployment besides graph-node's status. */
export interface Besides {
  /** The first start block in the manifest. */
  readonly startBlock?: number | undefined;
  readonly hold?: HostedHold | undefined;
  readonly absence?: Absence | undefined;
}

/** The status of a deployment, from graph-node's last report. */
export function hostedStatus(told: ToldStatus, besides: Besides): HostedStatus {
  const { fatalError: fatal, latestBlock, chainHeadBlock } = told;
  const { hold, absence } = besides;
  const [head, chainHead, earliest] = [latestBlock, chainHeadBlock, told.earliestBlock].map(numberOf);
  const away = absence && awayState(absence);
  return {
    health: healthOf(told),
    isSynced: told.synced,
    // graph-node's earliest block is the one before the first indexed block.
    startBlock: besides.startBlock ?? (earliest ? earliest + 1 : 0),
    nonFatalErrors: [
      ...told.nonFatalErrors.map(errorOf),
      ...[away?.why, hold?.why].flatMap((message) =>
        message === undefined ? [] : [{ message, isDeterministic: false }],
      ),
    ],
    ...(head !== undefined && { headBlock: head }),
    ...(chainHead !== undefined && { chainHeadBlock: chainHead }),
    ...(fatal && { fatalError: errorOf(fatal) }),
    ...(hold && { hold }),
    ...(away && { engineState: away }),
    told,
  };
}

/** The status of a deployment that graph-node has never reported. */
export function unknownStatus({ startBlock = 0, absence }: Besides): HostedStatus {
  const away = absence && awayState(absence);
  return {
    health: "unknown",
    isSynced: false,
    startBlock,
    nonFatalErrors: away ? [{ message: away.why, isDeterministic: false }] : [],
    ...(away && { engineState: away }),
  };
}

function awayState({ since, why }: Absence): Absence {
  const time = new Date(since).toISOString().slice(0, 19).replace("T", " ");
  return { since, why: `The engine has not answered since ${time} UTC: ${why}` };
}

/** graph-node also reports `failed` for errors that it retries, such as an unreachable node. */
function healthOf({ health, fatalError }: ToldStatus): HostedStatus["health"] {
  if (health === "failed") return fatalError && !fatalError.deterministic ? "unhealthy" : "failed";
  return health === "healthy" || health === "unhealthy" ? health : "unknown";
}

function errorOf({ message, handler, block, deterministic }: ToldError): HostedError {
  // graph-node names the handler of a fatal error only in the message.
  const [, named, at, hash] =
    / in handler `([^`]{1,200})` at block #(\d{1,15}) \(([0-9a-fx]{1,66})\)/.exec(message) ?? [];
  const number = numberOf(block) ?? (at === undefined ? undefined : Number(at));
  const blockHash = block && block.hash !== "" ? block.hash : hash;
  const name = handler ?? named;
  return {
    message: longText(message),
    ...(number !== undefined && { block: number }),
    ...(number !== undefined && blockHash !== undefined && { blockHash: withPrefix(blockHash) }),
    ...(name !== undefined && { handler: visible(name.slice(0, 200)) }),
    isDeterministic: deterministic,
  };
}

function withPrefix(hash: string): string {
  return visible(hash.startsWith("0x") ? hash : `0x${hash}`).slice(0, 70);
}

/** Long enough for a backtrace and the most useful part after it. */
const [mostBefore, mostAfter] = [1_500, 1_000];

/** Puts graph-node's text on one line, and cuts the middle of a long one. */
export function longText(text: string): string {
  const all = text.trim();
  if (all.length <= mostBefore + mostAfter) return visible(all);
  return `${visible(all.slice(0, mostBefore))} … ${visible(all.slice(-mostAfter))}`;
}
