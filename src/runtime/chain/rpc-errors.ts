import { ChainError } from "./chain.js";

/** The `error` of an answer. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly data: unknown;
}

/** The node understood a request and refused it: the `error` of a JSON-RPC answer. */
export class RpcError extends ChainError {
  override readonly name = "RpcError";

  readonly code: number;
  /** The node's words. */
  readonly reason: string;
  /** What came along, such as the data of a revert. */
  readonly data: unknown;

  constructor(method: string, node: string, { code, reason, data }: Refusal) {
    super(`${method}: ${node} answered with error ${code}: ${clip(reason)}`);
    this.code = code;
    this.reason = reason;
    this.data = data;
  }
}

/** The node gave no usable answer in the number of attempts that were allowed; it may be asked for too much at once. */
export class StrainError extends ChainError {
  override readonly name = "StrainError";
}

/** How much of a foreign text an error shows. */
const SHOWN = 300;

/** A foreign text in one line, shortened. */
export function clip(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

const GONE =
  /header (for hash )?not found|unknown block|unknown header|block (\S+ )?(was )?not found|could ?n[o']t find (the )?(block|header)|resource not found|hash is not currently canonical/i;
const TEMPORARY =
  /rate limit|too many requests|request rate|requests per second|compute units|over capacity|overloaded|try again (later|in \d|after)|temporarily|throttl|service unavailable|capacity exceeded|node is (syncing|not ready)/i;
const TOO_LARGE =
  /response (size )?(is )?(too large|exceeds?|limit)|response size|batch.*(too large|limit|exceed|size)/i;
const UNKNOWN_METHOD =
  /method (\S+ )?(not found|not supported|not available|is not|does not|not allowed|unsupported)|unsupported method|not (found|whitelisted|enabled|supported).*method|does not exist\/is not available|\w+_\w+ is not (available|supported|allowed|enabled)/i;

/** Whether the node says that it does not know a block. */
export function saysBlockIsGone(reason: string): boolean {
  return GONE.test(reason);
}

/** Whether asking again later may help. -32005 is "limit exceeded", which also stands for a query that is too wide. */
export function saysTemporary(code: number, reason: string): boolean {
  return code === 429 || TEMPORARY.test(reason);
}

/** Whether an answer in a batch was withheld because the answers together became too large. */
export function saysTooLarge(reason: string): boolean {
  return TOO_LARGE.test(reason);
}

/** Whether the node does not offer a method. */
export function saysUnknownMethod(error: RpcError): boolean {
  return error.code === -32601 || UNKNOWN_METHOD.test(error.reason);
}

/** What nodes say when the contract, not the node, made a call fail: the answer will be the same for ever. */
const REVERTS: readonly string[] = [
  "revert",
  "invalid jump destination",
  "invalid opcode",
  "stack limit reached",
  "stack underflow",
  "out of gas",
  "vm execution error",
  "invalidjump",
  "notactivated",
  "invalidfeopcode",
  "stackunderflow",
  "stackoverflow",
  "opcodenotfound",
  "outofgas",
];
/** Code of Geth and its kin for a revert. */
const REVERTED = 3;
/** Code of Parity and its kin for a failed execution, and how their data then starts. */
const PARITY_FAILURE = -32015;
const PARITY_REVERTS = /^(revert|bad jump|out of stack|bad instruction f[ed]|out of gas)/i;

/** Whether a refused `eth_call` failed inside the contract. */
export function isRevert(error: RpcError): boolean {
  const reason = error.reason.toLowerCase();
  if (error.code === REVERTED || REVERTS.some((text) => reason.includes(text))) return true;
  return (
    error.code === PARITY_FAILURE && typeof error.data === "string" && PARITY_REVERTS.test(error.data.trim())
  );
}

const BLOCK_OBJECT =
  /invalid argument|unmarshal|invalid params|expected .*string|invalid block|invalid type|blockhash/i;

/** Whether the node does not take a block in the form `{ blockHash }`. */
export function refusesBlockHash(error: RpcError): boolean {
  return error.code === -32602 || BLOCK_OBJECT.test(error.reason);
}

const PRUNED =
  /missing trie node|state .*(not available|unavailable|pruned)|pruned|distance to target block/i;

/** Whether the node no longer keeps the state that was asked for. */
export function saysPruned(reason: string): boolean {
  return PRUNED.test(reason);
}

const RANGE =
  /block range|range (is )?too|range limit|blocks? distance|max(imum)? .*blocks|\d+ blocks?|range exceed/i;

/** Whether a query of logs was refused for the number of its blocks, however few logs they hold. */
export function saysRangeTooWide(reason: string): boolean {
  return RANGE.test(reason);
}
