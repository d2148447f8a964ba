import { EventFragment, Interface } from "ethers/abi";
import type { Log } from "../../runtime/chain/chain.js";
import type { DatasetRow } from "../tables/dataset.js";
import { eventParameters } from "./event-parameters.js";
import { logPlace } from "./raw-rows.js";

/** An ABI to decode logs with. */
export interface DecodingAbi {
  /** As in JSON: a list of entries. */
  readonly abi: readonly object[];
  /** The contracts to which it applies, in lower case; all by default. */
  readonly addresses?: readonly string[];
}

/**
 * Decodes logs with the events of some ABIs. An ABI for a log's contract takes precedence over one for any contract.
 */
export class LogDecoder {
  readonly #byAddress = new Map<string, EventFragment[]>();
  readonly #any = new Map<string, EventFragment[]>();
  #misfit: Log | undefined;

  /** @throws Error for invalid ABI entries */
  constructor(abis: readonly DecodingAbi[]) {
    for (const { abi, addresses } of abis) {
      for (const fragment of new Interface(abi).fragments) {
        if (!EventFragment.isFragment(fragment) || fragment.anonymous) continue;
        if (addresses === undefined) add(this.#any, fragment.topicHash, fragment);
        for (const address of addresses ?? [])
          add(this.#byAddress, `${address}${fragment.topicHash}`, fragment);
      }
    }
  }

  /** First topics of all known events. */
  get topics(): readonly string[] {
    const known = [...this.#byAddress.values(), ...this.#any.values()].flat();
    return [...new Set(known.map(({ topicHash }) => topicHash))].sort();
  }

  /** A log with the signature of a known event but not its indexed parameters or data. Such logs have no row. */
  get misfit(): Log | undefined {
    return this.#misfit;
  }

  /** The row of a log in `decoded_logs`; `undefined` if no event fits. */
  row(log: Log, timestamp: bigint): DatasetRow | undefined {
    const [topic] = log.topics;
    if (topic === undefined) return undefined;
    const events = [
      ...(this.#byAddress.get(`${log.address}${topic}`) ?? []),
      ...(this.#any.get(topic) ?? []),
    ];
    for (const event of events) {
      const params = eventParameters(event, log);
      if (!params) continue;
      return {
        id: `decoded_log_${log.block.hash}_${log.logIndex}`,
        address: log.address,
        event_signature: event.format("sighash"),
        event_params: params,
        data: log.data,
        topics: log.topics.join(","),
        ...logPlace(log, timestamp),
      };
    }
    if (events.length > 0) this.#misfit ??= log;
    return undefined;
  }
}

function add(to: Map<string, EventFragment[]>, key: string, fragment: EventFragment): void {
  const list = to.get(key);
  if (list) list.push(fragment);
  else to.set(key, [fragment]);
}
