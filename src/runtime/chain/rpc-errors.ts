import { ChainError } from "./chain.js";

/** The `error` of a JSON-RPC answer. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly data: unknown;
}

/** The node refused a request: the `error` of a JSON-RPC answer. */
export class RpcError extends ChainError {
  override readonly name = "RpcError";

  readonly code: number;
  /** The error's message. */
  readonly reason: string;
  /** The error's `data`, for example that of a revert. */
  readonly data: unknown;

  constructor(method: string, node: string, { code, reason, data }: Refusal) {
    super(`${method}: ${node} answered with error ${code}: ${clip(reason)}`);
    this.code = code;
    this.reason = reason;
    this.data = data;
  }
}

/** No usable answer within the allowed strained attempts. The request may ask for too much at once. */
export class StrainError extends ChainError {
  override readonly name = "StrainError";
}

/** A server refused a request with an HTTP status that no retry has changed. */
export class StatusError extends ChainError {
  override readonly name = "StatusError";

  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Maximum length of a foreign message that an error shows, in characters. */
const shown = 300;

/** A foreign message, on one line and shortened. */
export function clip(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > shown ? `${line.slice(0, shown)}…` : line;
}

/**
 * Messages of Geth, Erigon, Nethermind, Besu, Reth, anvil and hosted nodes for a block that the node does not have
 * yet or no longer has, or whose state it lacks.
 */
const gone: readonly RegExp[] = [
  /header (for hash )?not found|unknown (block|header)|\bblock (\S+ |with .*)?(was )?not found/i,
  /could ?n[o']t find (the )?(block|header)|resource not found|not currently canonical/i,
  /(\bblocks?\b|\bheader\b|^0x[\da-f]+|^\d+).* (cannot|can't|could not) be found/i,
  /block height is \d+ but requested|block\s?out\s?of\s?range|end \(\d+\) < begin \(\d+\)/i,
  /beyond (the )?(current |latest )?(head|block|chain)|in the future|future block/i,
  /(greater|higher|later|larger) than (the )?(latest|current|head|last)|after last accepted block/i,
  /no state available for block/i,
  /unfinalized data|invalid block range(?!.*(max|limit|exceed|large|wide|than|\d))/i,
];
const temporary =
  /rate.?limit|too many requests|request rate|requests? per second|\/second|\brps\b|slow down|request limit|compute units|over capacity|overload|queue overflow|try again (later|in \d|after)|temporar|throttl|service unavailable|capacity (limit )?exceeded|node is (syncing|not ready)/i;
const tooLarge =
  /response (size )?(is )?(too large|exceeds?|limit)|response size|batch.*(too large|limit|exceed|size)/i;
const unknownMethod =
  /method (\S+ )?(not found|not supported|not available|is not|does not|not allowed|unsupported)|unsupported method|not (found|whitelisted|enabled|supported).*method|does not exist\/is not available|\w+_\w+ is not (available|supported|allowed|enabled)/i;

/** Whether the message means that the node does not know a block. */
export function saysBlockIsGone(reason: string): boolean {
  return gone.some((words) => words.test(reason));
}

/**
 * Whether the node reports a temporary error. Code -32005, "limit exceeded", does not count: it also stands for a query
 * that is too wide.
 */
export function saysTemporary(code: number, reason: string): boolean {
  return code === 429 || temporary.test(reason);
}

/** Whether the node withheld an answer in a batch because the whole response became too large. */
export function saysTooLarge(reason: string): boolean {
  return tooLarge.test(reason);
}

/** Whether the chain has no block with a number, and never will: a null round of Filecoin, in the words of Lotus. */
export function saysNullRound(reason: string): boolean {
  return /\bnull (round|tipset)\b/i.test(reason);
}

/** Whether the node does not support a method. */
export function saysUnknownMethod(error: Refusal): boolean {
  return error.code === -32601 || unknownMethod.test(error.reason);
}

/** Messages for a call that failed in the contract, not in the node: graph-node's list. */
const reverts: readonly string[] = [
  "revert",
  "invalid jump destination",
  "invalid opcode",
  "stack limit reached 1024",
  "stack underflow",
  "out of gas",
  "vm execution error",
  "invalidjump",
  "notactivated",
  "invalidfeopcode",
  "stackunderflow",
  "stackoverflow",
  "opcodenotfound",
];
/**
 * More such messages, of Geth, revm, Nitro and Frontier. graph-node's list lacks them and retries forever, although
 * every node gives the same answer.
 */
const failures: readonly RegExp[] = [
  /write protection|return ?data ?(was )?out ?of ?bounds|gas uint64 overflow|max call depth exceeded/i,
  /stack limit reached|contract address collision|max (init)?code ?size exceeded|invalid code: must not begin/i,
  /\bevm error:? ?(?!.*(database|header|internal|fatal|transaction))\w/i,
  /program not activated|execution fatal: ?module\(/i,
];
/** Parity's error code for a failed execution, and the prefixes of its data. */
const parityFailure = -32015;
const parityReverts = /^(revert|bad jump|out of stack|bad instruction f[ed]|out of gas)/i;

/** Whether an `eth_call` failed in the contract. */
export function isRevert(error: Refusal): boolean {
  const reason = error.reason.toLowerCase();
  if (reverts.some((text) => reason.includes(text))) return true;
  if (failures.some((words) => words.test(error.reason))) return true;
  return (
    error.code === parityFailure && typeof error.data === "string" && parityReverts.test(error.data.trim())
  );
}

const blockObject =
  /invalid argument|unmarshal|invalid params|expected .*string|invalid block|invalid type|blockhash|is not a (function|string)|cannot (read propert|convert object)|must be a string/i;

/** Whether the node does not support a block of the form `{ blockHash }`. */
export function refusesBlockHash(error: Refusal): boolean {
  return error.code === -32602 || blockObject.test(error.reason);
}

const gasCap =
  /gas limit (is )?too (high|large)|exceeds? (the )?(block )?gas (limit|cap)|gas (limit|cap) exceeded|gas.* (greater|higher|more) than .*(cap|limit)|gas.*exceeds.*(cap|allow)/i;

/** Whether the node grants a call less gas than requested. */
export function saysGasTooHigh(reason: string): boolean {
  return gasCap.test(reason);
}

const prunedWords =
  /missing trie node|state .*(not available|unavailable)|prun(ed|ing)|distance to target block|archive (state|requests?|nodes?|data)/i;

/** Whether the node has pruned the requested state, or may not return it. */
export function saysPruned(reason: string): boolean {
  return prunedWords.test(reason);
}

const rangeWords =
  /block range|range (is )?too|range limit|blocks? distance|max(imum)? .*blocks|\d+ blocks?|range exceed/i;

/** Whether the node refused a log query because of its block range, regardless of the number of logs. */
export function saysRangeTooWide(reason: string): boolean {
  return rangeWords.test(reason);
}

const resultsWords =
  /more than \d+ (results|logs|events)|too many (results|logs|events)|logs? matched|result (set )?(is )?too/i;

/** Whether the node refused a log query because of the number of logs. */
export function saysTooManyLogs(reason: string): boolean {
  return resultsWords.test(reason);
}

/** The lists of a log query. */
export type LogList = "addresses" | "topics";
/**
 * Geth, Flow, TRON and Hedera: "exceed max addresses", "exceed max topics", "exceed max addresses or topics per search
 * position". Erigon: "query exceeds the maximum of 1000 addresses or topics per search position". Others: "too many
 * addresses", "too many sub-topics".
 */
const listWords =
  /\b(exceed\w*|max(imum)?|too (many|long|large)|limit\w*|more than|at most|up to|only|fewer|single|multiple)\b/i;

/** The lists of a log query that the node refused because of their length. */
export function saysListsTooLong(reason: string): readonly LogList[] {
  if (!listWords.test(reason) || saysRangeTooWide(reason) || saysTooManyLogs(reason)) return [];
  const lists: LogList[] = [];
  if (/\baddress(es|\(es\))|\baddress (list|array|filter|count|limit)/i.test(reason)) lists.push("addresses");
  if (/topics\b|\btopic\(s\)|\btopic (list|array|filter|count|limit)/i.test(reason)) lists.push("topics");
  return lists;
}

const unauthorised =
  /unauthori[sz]ed|must be authenticated|not authenticated|authentication (failed|required)|(invalid|unknown|missing|wrong|expired|disabled) (api|project|access|auth)\S*[ -]?(key|token|id)|access denied|forbidden|permission denied/i;
const invalidParams = -32602;

/**
 * Whether a refusal is permanent: a revert, an unsupported method, invalid parameters, a pruned state, or an
 * unauthorized client. Any other refusal may be temporary.
 */
export function saysPermanent(error: Refusal): boolean {
  if (error.code === invalidParams || isRevert(error) || saysUnknownMethod(error)) return true;
  return saysPruned(error.reason) || unauthorised.test(error.reason);
}
