import type { BlockPointer } from "../chain/chain.js";
import { RetriedError } from "../errors.js";
import type { FailedHandler } from "../store/store.js";
import type { LogLine } from "./handler-world.js";
import type { Match } from "./triggers/triggers.js";

/** A failed handler, with its trigger and its error. */
export class HandlerFailure implements FailedHandler {
  readonly handler: string;
  /** Name of the data source or template. */
  readonly source: string;
  readonly block: number;
  readonly blockHash: string;
  /** Absent for blocks, entities and files. */
  readonly transactionHash: string | undefined;
  /** Absent for calls, blocks, entities and files. */
  readonly logIndex: number | undefined;
  /** Whether the failure would be the same on every node. A file may not be the same everywhere. */
  readonly isDeterministic: boolean;
  /** The error; an `AbortError` has a source position. */
  readonly error: Error;
  /** The lines that the handler had logged. */
  readonly lines: readonly LogLine[];

  constructor(match: Match, block: BlockPointer, error: Error, lines: readonly LogLine[]) {
    this.handler = match.handler;
    this.source = match.source.template.name;
    this.block = block.number;
    this.blockHash = block.hash;
    this.transactionHash = transactionOf(match);
    this.logIndex = match.kind === "event" ? match.log.logIndex : undefined;
    this.isDeterministic = match.kind !== "file" && !(error instanceof RetriedError);
    this.error = error;
    this.lines = lines;
  }
}

function transactionOf(match: Match): string | undefined {
  if (match.kind === "event") return match.log.transactionHash;
  return match.kind === "call" ? match.call.transactionHash : undefined;
}
