import { isRecord } from "../../../base/text/json-value.js";
import type { World } from "../../../base/world.js";
import type { LogFilter } from "../../chain/chain.js";
import type { HistorySource } from "../../indexer/history/history-source.js";
import { type BlockStream, type HistoryService, logRequests, type WantedBlocks } from "../history-service.js";
import { isBlockNumber, SourceEndpoint } from "../source-endpoint.js";
import { SourceFault } from "../source-fault.js";
import { type SourceOptions, StreamedSource } from "../streamed-source.js";
import { readPortalBlock } from "./portal-block.js";
import { headerChoices, type LogRequest, logRequest, streamQuery } from "./portal-query.js";

/**
 * Final blocks and logs from a Portal of SQD: JSON lines over HTTP.
 * @param address of the dataset
 * @throws ChainError if the address is not a web URL
 */
export function createPortalSource(address: string, world: World, options: SourceOptions): HistorySource {
  const endpoint = new SourceEndpoint(address, world, "the Portal");
  return new StreamedSource(new PortalService(endpoint), world, options);
}

class PortalService implements HistoryService<LogRequest> {
  readonly name: string;
  readonly headerChoices = headerChoices.length;
  readonly #endpoint: SourceEndpoint;

  constructor(endpoint: SourceEndpoint) {
    this.#endpoint = endpoint;
    this.name = `portal=${endpoint.origin}`;
  }

  requests(filter: LogFilter): readonly LogRequest[] | undefined {
    return logRequests(filter, logRequest);
  }

  async firstBlock(): Promise<number> {
    const value = await this.#endpoint.get("metadata");
    const number = isRecord(value) ? value.start_block : undefined;
    return isBlockNumber(number) ? number : 0;
  }

  async lastBlock(): Promise<number | undefined> {
    const value = await this.#endpoint.get("finalized-head");
    if (value === null) return undefined;
    const number = isRecord(value) ? value.number : undefined;
    if (isBlockNumber(number)) return number;
    throw new SourceFault("lasting", "its answer to finalized-head is not a block. Check the address");
  }

  async open({ range, requests, headers, parentHash }: WantedBlocks<LogRequest>): Promise<BlockStream> {
    const query = streamQuery(range, requests, headerChoices[headers] ?? [], parentHash);
    const reader = await this.#endpoint.lines("finalized-stream", query);
    return {
      next: async () => {
        const line = await reader.next();
        return line === undefined ? undefined : { ...readPortalBlock(line), size: line.length };
      },
      close: () => reader.close(),
    };
  }
}
