import { EventFragment, Interface, type ParamType } from "ethers";
import { decodeValues } from "../../runtime/abi/decode-values.js";
import type { Log } from "../../runtime/chain/chain.js";
import type { EthereumValue } from "../../runtime/values.js";
import type { DatasetRow } from "../tables/dataset.js";
import { logPlace } from "./raw-rows.js";

/** An ABI that logs are decoded with. */
export interface DecodingAbi {
  /** As in JSON: a list of entries. */
  readonly abi: readonly object[];
  /** Contracts that it is of, in lower case; of any when left out. */
  readonly addresses?: readonly string[];
}

/** Decodes logs with the events of some ABIs. One that names a log's contract goes before one of any contract. */
export class LogDecoder {
  readonly #byAddress = new Map<string, EventFragment[]>();
  readonly #any = new Map<string, EventFragment[]>();
  #misfit: Log | undefined;

  /** @throws Error for entries that are not of an ABI */
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

  /** First topics of all events that it knows. */
  get topics(): readonly string[] {
    const known = [...this.#byAddress.values(), ...this.#any.values()].flat();
    return [...new Set(known.map(({ topicHash }) => topicHash))].sort();
  }

  /** A log that has the signature of a known event, but not its indexed parameters or data; such logs have no row. */
  get misfit(): Log | undefined {
    return this.#misfit;
  }

  /** The row of a log in `decoded_logs`; `undefined` when none of the events fits. */
  row(log: Log, timestamp: bigint): DatasetRow | undefined {
    const [topic] = log.topics;
    if (topic === undefined) return undefined;
    const events = [
      ...(this.#byAddress.get(`${log.address}${topic}`) ?? []),
      ...(this.#any.get(topic) ?? []),
    ];
    for (const event of events) {
      const params = paramsOf(event, log);
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

/** `undefined` when the log's topics and data are not those of the event. */
function paramsOf(event: EventFragment, { topics, data }: Log): readonly string[] | undefined {
  const indexed = event.inputs.filter((input) => input.indexed);
  if (indexed.length + 1 !== topics.length) return undefined;
  try {
    const rest = decodeValues(
      event.inputs.filter((input) => !input.indexed),
      data,
    );
    let nextTopic = 1;
    let nextValue = 0;
    return event.inputs.map((input) =>
      input.indexed
        ? topicText(input, topics[nextTopic++] ?? "0x")
        : valueText(rest[nextValue++] as EthereumValue),
    );
  } catch {
    return undefined;
  }
}

/** Of strings, lists and tuples a topic has only the hash. */
function topicText(type: ParamType, topic: string): string {
  const isHashed =
    type.isArray() || type.isTuple() || type.baseType === "string" || type.baseType === "bytes";
  if (isHashed) return topic;
  const [value] = decodeValues([type], topic);
  return value ? valueText(value) : topic;
}

function valueText(value: EthereumValue): string {
  return typeof value.value === "object" ? JSON.stringify(jsonOf(value)) : String(value.value);
}

/** Integers are strings, since JSON readers round long ones. */
function jsonOf({ value }: EthereumValue): unknown {
  if (typeof value === "object") return value.map(jsonOf);
  return typeof value === "bigint" ? `${value}` : value;
}
