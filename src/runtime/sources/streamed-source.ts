import { backoff } from "../../base/turns/backoff.js";
import type { World } from "../../base/world.js";
import type { LogFilter } from "../chain/chain.js";
import type { HistoryBlock, HistorySource } from "../indexer/history/history-source.js";
import { fitting } from "../indexer/logs/log-lists.js";
import type { BlockRange } from "../indexer/logs/tails.js";
import type { BlockStream, HistoryService } from "./history-service.js";
import { SourceFault } from "./source-fault.js";

export interface SourceOptions {
  /** Receives one sentence when the service is not used for a range, or not used any longer. */
  onNote(why: string): void;
}

/** A stream that is read range by range. */
interface OpenStream {
  readonly question: string;
  readonly reader: BlockStream;
  /** The last block that was asked for. */
  readonly to: number;
  /** The number of the next block, and the hash of the one before it. */
  next: number;
  parentHash: string | undefined;
  /** Blocks that were read. */
  count: number;
}

/** Milliseconds after which the newest final block is asked for again. */
const headAge = 30_000;
/** Milliseconds for one range, retries included. A slower service is of no use. */
const rangeTime = 300_000;
/** Faults in a row without a new block, and starts from the beginning, before a range is left to the node. */
const mostFaults = 5;
const mostStarts = 3;
const retryTimes = { first: 500, longest: 10_000 };
/** Milliseconds without requests after a range that failed; a longer `Retry-After` counts. */
const restTime = 60_000;
const longestRest = 3_600_000;
/** The longest wait, in milliseconds, that a range is held up for. */
const longestWait = 30_000;
/** Ranges in a row that may fail. */
const mostFailed = 5;
/** UTF-16 units of the answers for one range. */
const largestRange = 128 * 1024 * 1024;
/** Blocks that a stream asks for beyond the range. */
const ahead = { first: 2_000, most: 200_000 };

/**
 * Final blocks and logs from a service. All waits, sizes and numbers of retries are bounded. Whatever goes wrong, the caller
 * reads from the node instead.
 */
export class StreamedSource<Request> implements HistorySource {
  readonly name: string;
  readonly #service: HistoryService<Request>;
  readonly #world: World;
  readonly #onNote: (why: string) => void;
  #stream: OpenStream | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #headers = 0;
  #first: number | undefined;
  #final = -1;
  #finalAt = Number.NEGATIVE_INFINITY;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #failed = 0;
  #ahead = 0;
  #isRefused = false;
  #hasToldStart = false;

  constructor(service: HistoryService<Request>, world: World, { onNote }: SourceOptions) {
    this.#service = service;
    this.#world = world;
    this.#onNote = onNote;
    this.name = service.name;
  }

  reach(): Promise<number> {
    return this.#inTurn(async () => {
      const now = this.#world.now();
      if (this.#isRefused || now < this.#restsUntil) return -1;
      if (now - this.#finalAt < headAge) return this.#final;
      try {
        this.#first ??= await this.#service.firstBlock();
        this.#final = (await this.#service.lastBlock()) ?? -1;
        this.#finalAt = now;
        return this.#final;
      } catch (error) {
        this.#leave(faultOf(error), "blocks");
        return -1;
      }
    });
  }

  blocks(range: BlockRange, filter: LogFilter): Promise<readonly HistoryBlock[] | undefined> {
    return this.#inTurn(async () => {
      if (this.#isRefused || this.#world.now() < this.#restsUntil) return undefined;
      const text = `blocks ${range.from} to ${range.to}`;
      if (range.from < (this.#first ?? 0)) {
        if (!this.#hasToldStart)
          this.#note(`it begins at block ${this.#first}. Earlier blocks are read from the node`);
        this.#hasToldStart = true;
        return undefined;
      }
      const requests = this.#service.requests(filter);
      if (!requests) {
        this.#note(`the list of contracts is too long for a request. ${text} are read from the node`);
        return undefined;
      }
      try {
        const blocks = await this.#read(range, filter, requests);
        this.#failed = 0;
        return blocks;
      } catch (error) {
        this.#leave(faultOf(error), text);
        return undefined;
      }
    });
  }

  refuse(why: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.forget();
    this.#note(`${why}. It is not used any longer: all blocks are read from the node`);
  }

  forget(): void {
    this.#stream?.reader.close();
    this.#stream = undefined;
  }

  /** @throws SourceFault */
  async #read(
    range: BlockRange,
    filter: LogFilter,
    requests: readonly Request[],
  ): Promise<readonly HistoryBlock[]> {
    const since = this.#world.now();
    const question = JSON.stringify(requests);
    const fits = fitting(filter);
    let found: HistoryBlock[] = [];
    let [faults, starts, size] = [0, 0, 0];
    let stream = this.#resumed(range, question);
    for (;;) {
      const next = range.from + found.length;
      if (next > range.to) {
        this.#keep(stream);
        return found;
      }
      try {
        stream ??= await this.#open({ from: next, to: range.to }, requests, found.at(-1)?.block.hash);
        const streamed = await stream.reader.next();
        if (streamed === undefined) {
          if (stream.count === 0) throw new SourceFault("passing", "its answer is empty");
          this.#drop(stream);
          stream = undefined;
          continue;
        }
        const { block, logs } = streamed;
        size += streamed.size;
        if (size > largestRange)
          throw new SourceFault("lasting", `its answer has more than ${largestRange / 1024 / 1024} MiB`);
        checkPlace(block, stream);
        stream.next = block.number + 1;
        stream.parentHash = block.hash;
        stream.count += 1;
        faults = 0;
        found.push({ block, logs: logs.filter(fits) });
      } catch (error) {
        const fault = faultOf(error);
        if (stream) this.#drop(stream);
        stream = undefined;
        if (fault.kind === "fields" && this.#headers + 1 < this.#service.headerChoices) {
          this.#headers += 1;
          continue;
        }
        faults += 1;
        if (fault.kind === "fork") {
          found = [];
          starts += 1;
        }
        const isHopeless = fault.kind === "lasting" || fault.kind === "behind" || fault.kind === "fields";
        const wait = fault.wait ?? backoff(faults, retryTimes, this.#world.random());
        const isLate = this.#world.now() + wait - since > rangeTime || wait > longestWait;
        if (isHopeless || isLate || faults >= mostFaults || starts >= mostStarts) throw fault;
        await this.#world.sleep(wait);
      }
    }
  }

  /** The open stream, if the next range continues it. */
  #resumed({ from }: BlockRange, question: string): OpenStream | undefined {
    const stream = this.#stream;
    if (stream?.question !== question || stream.next !== from) return undefined;
    this.#stream = undefined;
    return stream;
  }

  /** Keeps a stream for the next range, in place of one that is not further. */
  #keep(stream: OpenStream | undefined): void {
    if (!stream || stream === this.#stream) return;
    const before = this.#stream;
    if (before && before.next > stream.next) {
      stream.reader.close();
      return;
    }
    this.#ahead = 2 * Math.max(this.#ahead, ahead.first / 2);
    before?.reader.close();
    this.#stream = stream;
  }

  #drop(stream: OpenStream): void {
    stream.reader.close();
    if (this.#stream === stream) this.#stream = undefined;
  }

  async #open(
    { from, to }: BlockRange,
    requests: readonly Request[],
    parentHash: string | undefined,
  ): Promise<OpenStream> {
    const question = JSON.stringify(requests);
    // Reading ahead is of use only while the question stays the same.
    if (this.#stream && this.#stream.question !== question) this.#ahead = 0;
    const last = Math.max(to, Math.min(this.#final, to + Math.min(this.#ahead, ahead.most)));
    const reader = await this.#service.open({
      range: { from, to: last },
      requests,
      headers: this.#headers,
      parentHash,
    });
    return { question, reader, to: last, next: from, parentHash, count: 0 };
  }

  /** Stops using the service for a while, or for good. */
  #leave(fault: SourceFault, what: string): void {
    this.#failed += 1;
    this.forget();
    const isOver = fault.kind === "lasting" || fault.kind === "fields" || this.#failed >= mostFailed;
    if (isOver) {
      this.refuse(fault.message);
      return;
    }
    const rest = Math.min(longestRest, Math.max(restTime, fault.wait ?? 0));
    this.#restsUntil = this.#world.now() + rest;
    // Its head may be behind what it said before.
    this.#finalAt = Number.NEGATIVE_INFINITY;
    const seconds = Math.ceil(rest / 1000);
    this.#note(
      `${fault.message}. ${upper(what)} are read from the node, as all others in the next ${seconds} s`,
    );
  }

  #note(why: string): void {
    this.#onNote(`the source ${this.name}: ${why}.`);
  }

  /** Streams and marks have one user at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** @throws SourceFault for a block that is not the next one of a stream */
function checkPlace(
  { number, parentHash }: HistoryBlock["block"],
  { next, parentHash: before }: OpenStream,
): void {
  if (number < next) throw new SourceFault("passing", `it sent block ${number} again, or out of order`);
  if (number > next) throw new SourceFault("passing", `it left out block ${next}`);
  if (before !== undefined && parentHash !== before)
    throw new SourceFault("fork", `its block ${number} does not follow the block before it`);
}

/** @throws errors that are not of the service, such as that the user has interrupted the run */
function faultOf(error: unknown): SourceFault {
  if (error instanceof SourceFault) return error;
  throw error;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
