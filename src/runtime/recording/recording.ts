import { isRecord, parseJson } from "../../base/json-value.js";

/** A recorded chain: what is the same everywhere in it, and its blocks in the order in which they came. */
export interface Recording {
  readonly network: string;
  readonly chainId: number;
  /** How many of the blocks are there from the beginning. */
  readonly history: number;
  /** Milliseconds between two of the other blocks. */
  readonly interval: number;
  /** Fields that blocks, transactions and receipts have unless they say otherwise. */
  readonly block: RawObject;
  readonly transaction: RawObject;
  readonly receipt: RawObject;
  readonly contracts: Readonly<Record<string, RecordedContract>>;
  readonly blocks: readonly RecordedBlock[];
}

/** JSON as a node says it. */
export type RawObject = Readonly<Record<string, unknown>>;

/** A contract, by its address in lower-case hex. */
export interface RecordedContract {
  readonly code: string;
  /** The block that made it. */
  readonly since: number;
  /** What its functions answer unless a block says otherwise, by selector. All others revert. */
  readonly functions: Readonly<Record<string, string>>;
}

/** A block; what can be derived is left out. */
export interface RecordedBlock {
  readonly hash: string;
  /** The block before it, where that is not the one of the line before. */
  readonly parent?: string;
  /** Whether it only becomes known together with the next one, as the first blocks of another branch do. */
  readonly waits?: true;
  readonly fields: RawObject;
  readonly transactions?: readonly RecordedTransaction[];
  /** What contracts answer from this block on, by address and data of the call: what has changed. */
  readonly calls?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface RecordedTransaction {
  readonly hash: string;
  /** Other fields of the transaction, and of its receipt. */
  readonly fields: RawObject;
  readonly receipt: RawObject;
  readonly logs?: readonly RecordedLog[];
}

export interface RecordedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The version of the format that this program reads. */
export const recordingVersion = 1;

/** The text is no recording. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

/**
 * Reads a recording: lines of JSON, the first with what is the same everywhere, then one for each block.
 * @throws RecordingError with the number of a line that is wrong
 */
export function readRecording(text: string): Recording {
  const lines = text.split("\n").filter((line) => line !== "");
  const head = objectIn(lines[0], 1);
  if (head.recording !== recordingVersion)
    throw wrong(1, `does not contain "recording": ${recordingVersion}`);
  const blocks = lines.slice(1).map((line, index) => blockIn(line, index + 2));
  const { history, interval, chainId, network } = head;
  if (typeof history !== "number" || history < 1 || history > blocks.length)
    throw wrong(1, `has no "history" between 1 and ${blocks.length}`);
  if (typeof interval !== "number" || interval < 1) throw wrong(1, 'has no "interval"');
  if (typeof chainId !== "number" || typeof network !== "string")
    throw wrong(1, 'has no "chainId" or no "network"');
  for (const key of ["block", "transaction", "receipt", "contracts"]) {
    if (!isRecord(head[key])) throw wrong(1, `has no "${key}"`);
  }
  return { ...(head as unknown as Omit<Recording, "blocks">), blocks };
}

function blockIn(line: string, number: number): RecordedBlock {
  const block = objectIn(line, number);
  if (typeof block.hash !== "string" || !isRecord(block.fields)) throw wrong(number, "is not a block");
  return block as unknown as RecordedBlock;
}

function objectIn(line: string | undefined, number: number): RawObject {
  const value = parseJson(line ?? "");
  if (!isRecord(value)) throw wrong(number, "is not a JSON object");
  return value;
}

function wrong(line: number, what: string): RecordingError {
  return new RecordingError(`Line ${line} of the recording ${what}`);
}
