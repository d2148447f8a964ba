import { isRecord, parseJson } from "../../base/text/json-value.js";

/** A recorded chain: its common data, and its blocks in the order in which they arrived. */
export interface Recording {
  readonly network: string;
  readonly chainId: number;
  /** The number of blocks that exist from the start. */
  readonly history: number;
  /** Milliseconds between the arrivals of the other blocks. */
  readonly interval: number;
  /** Default fields of blocks, transactions and receipts. */
  readonly block: RawObject;
  readonly transaction: RawObject;
  readonly receipt: RawObject;
  readonly contracts: Readonly<Record<string, RecordedContract>>;
  readonly blocks: readonly RecordedBlock[];
}

/** A JSON object as a node returns it. */
export type RawObject = Readonly<Record<string, unknown>>;

/** A contract; recordings list contracts by address in lower-case hex. */
export interface RecordedContract {
  readonly code: string;
  /** The block in which it was created. */
  readonly since: number;
  /** The default answers of its functions, by selector. All other functions revert. */
  readonly functions: Readonly<Record<string, string>>;
}

/** A block, without the data that can be derived. */
export interface RecordedBlock {
  readonly hash: string;
  /** The hash of its parent, if that is not the block of the previous line. */
  readonly parent?: string;
  /** Whether it becomes known only together with the next block, as the first blocks of a new branch do. */
  readonly waits?: true;
  readonly fields: RawObject;
  readonly transactions?: readonly RecordedTransaction[];
  /** The answers of contracts that change in this block, by address and call data. */
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

/** The file is not a valid recording. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

/**
 * Reads a recording: lines of JSON, the first with the common data, then one for each block.
 * @throws RecordingError with the number of the invalid line
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
