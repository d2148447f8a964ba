import { isRecord } from "../../../base/text/json-value.js";
import type { World } from "../../../base/world.js";
import type { LogFilter } from "../../chain/chain.js";
import type { HistorySource } from "../../indexer/history/history-source.js";
import {
  type BlockStream,
  type HistoryService,
  logRequests,
  type StreamedBlock,
  type WantedBlocks,
} from "../history-service.js";
import { isBlockNumber, SourceEndpoint } from "../source-endpoint.js";
import { SourceFault } from "../source-fault.js";
import { type SourceOptions, StreamedSource } from "../streamed-source.js";
import { readHyperSyncPage } from "./hypersync-page.js";
import { headerChoices, type LogSelection, logSelection, pageQuery } from "./hypersync-query.js";

/**
 * Blocks and logs from a HyperSync server of Envio: pages of JSON over HTTP. The server does not say which blocks are final,
 * so the caller asks for blocks that are settled.
 * @param address of the server
 * @param token of its API
 * @throws ChainError if the address is not a web URL
 */
export function createHyperSyncSource(
  address: string,
  token: string | undefined,
  world: World,
  options: SourceOptions,
): HistorySource {
  // The path of a query is what examples show.
  const base = address.replace(/\/query\/?$/, "");
  const endpoint = new SourceEndpoint(base, world, "the HyperSync server", token);
  return new StreamedSource(new HyperSyncService(endpoint), world, options);
}

class HyperSyncService implements HistoryService<LogSelection> {
  readonly name: string;
  readonly headerChoices = headerChoices.length;
  readonly #endpoint: SourceEndpoint;

  constructor(endpoint: SourceEndpoint) {
    this.#endpoint = endpoint;
    this.name = `hypersync=${endpoint.origin}`;
  }

  requests(filter: LogFilter): readonly LogSelection[] | undefined {
    return logRequests(filter, logSelection);
  }

  /** Every server has the whole chain. */
  async firstBlock(): Promise<number> {
    return 0;
  }

  async lastBlock(): Promise<number | undefined> {
    const value = await this.#endpoint.get("height");
    const height = isRecord(value) ? value.height : undefined;
    if (height === null) return undefined;
    if (isBlockNumber(height)) return height;
    throw new SourceFault("lasting", "its answer to height is not a block. Check the address");
  }

  async open(wanted: WantedBlocks<LogSelection>): Promise<BlockStream> {
    return new PageStream(this.#endpoint, wanted);
  }
}

/** The pages of a range, one after the other. */
class PageStream implements BlockStream {
  readonly #endpoint: SourceEndpoint;
  readonly #wanted: WantedBlocks<LogSelection>;
  readonly #end = new AbortController();
  #held: StreamedBlock[] = [];
  #next: number;

  constructor(endpoint: SourceEndpoint, wanted: WantedBlocks<LogSelection>) {
    this.#endpoint = endpoint;
    this.#wanted = wanted;
    this.#next = wanted.range.from;
  }

  async next(): Promise<StreamedBlock | undefined> {
    const { to } = this.#wanted.range;
    if (this.#held.length === 0 && this.#next <= to) await this.#fill();
    return this.#held.shift();
  }

  close(): void {
    this.#held = [];
    this.#next = Number.POSITIVE_INFINITY;
    this.#end.abort();
  }

  async #fill(): Promise<void> {
    const { range, requests, headers } = this.#wanted;
    const query = pageQuery({ from: this.#next, to: range.to }, requests, headerChoices[headers] ?? []);
    const text = await this.#endpoint.text("query", query, this.#end);
    const { blocks, next, height } = readHyperSyncPage(text);
    if (next <= this.#next || blocks.length === 0) {
      const isBehind = height !== undefined && height < this.#next;
      throw isBehind
        ? new SourceFault("behind", "it does not have these blocks yet")
        : new SourceFault("passing", "its answer has no blocks");
    }
    const size = Math.ceil(text.length / blocks.length);
    this.#held = blocks.map((block) => ({ ...block, size }));
    this.#next = next;
  }
}
