import type { LogFilter } from "../chain/chain.js";
import type { HistoryBlock } from "../indexer/history/history-source.js";
import type { BlockRange } from "../indexer/logs/tails.js";

/** Final blocks that follow each other, as a service returns them. Its user checks that they do. */
export interface BlockStream {
  /**
   * The next block, with all requested logs and perhaps others, and the size of its text in UTF-16 units. `undefined` at the
   * end, which may be early.
   * @throws SourceFault
   */
  next(): Promise<StreamedBlock | undefined>;
  /** Ends the request under way. */
  close(): void;
}

export interface StreamedBlock extends HistoryBlock {
  readonly size: number;
}

/**
 * The protocol of a service that has the history of a chain. `StreamedSource` decides when it is asked, how often, and when
 * it is not used any longer.
 */
export interface HistoryService<Request> {
  /** Its kind, with protocol, host and port: `portal=https://portal.example`. The path may contain a key. */
  readonly name: string;
  /** How many lists of header fields there are to ask for, the best first. */
  readonly headerChoices: number;
  /** The first block that it has. @throws SourceFault */
  firstBlock(): Promise<number>;
  /** The last block that it has and calls final, if it knows which are; `undefined` if there is none yet. @throws SourceFault */
  lastBlock(): Promise<number | undefined>;
  /** The requests for the logs of a filter, or for more; `undefined` if they are too long. */
  requests(filter: LogFilter): readonly Request[] | undefined;
  /** Begins to read blocks. @throws SourceFault */
  open(wanted: WantedBlocks<Request>): Promise<BlockStream>;
}

/** What a stream is asked for. */
export interface WantedBlocks<Request> {
  readonly range: BlockRange;
  readonly requests: readonly Request[];
  /** The list of header fields, from 0. */
  readonly headers: number;
  /** The hash of the block before the first one, if it is known. */
  readonly parentHash: string | undefined;
}

/** Bytes of the longest request that is sent. Services refuse longer ones. */
const longestRequest = 200_000;

/**
 * The requests for the logs of a filter; `undefined` if they are too long even without the addresses of entries that have
 * topics. Then more logs than wanted are returned.
 * @param requestOf the request for an entry of the filter; without addresses, those of all contracts
 */
export function logRequests<Request>(
  filter: LogFilter,
  requestOf: (entry: LogFilter[number]) => Request,
): readonly Request[] | undefined {
  const exact = filter.filter(({ topics }) => topics === undefined || topics.length > 0);
  const short = exact.map((entry) => (entry.topics ? { ...entry, addresses: [] } : entry));
  return [exact, short]
    .map((entries) => entries.map(requestOf))
    .find((requests) => JSON.stringify(requests).length <= longestRequest);
}
