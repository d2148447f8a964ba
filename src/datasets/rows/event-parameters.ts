import type { EventFragment, ParamType } from "ethers/abi";
import { decodeValues } from "../../runtime/abi/decode-values.js";
import type { Log } from "../../runtime/chain/chain.js";
import type { EthereumValue } from "../../runtime/values.js";

/**
 * The parameters of an event as text, in order: integers in decimal, bytes and addresses in hex, others as JSON.
 * @returns `undefined` if the log's topics and data do not match the event
 */
export function eventParameters(
  event: EventFragment,
  { topics, data }: Pick<Log, "topics" | "data">,
): readonly string[] | undefined {
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

/** For strings, lists and tuples, a topic is only a hash. */
function topicText(type: ParamType, topic: string): string {
  const isHashed =
    type.isArray() || type.isTuple() || type.baseType === "string" || type.baseType === "bytes";
  if (isHashed) return topic;
  const [value] = decodeValues([type], topic);
  return value ? valueText(value) : topic;
}

export function valueText(value: EthereumValue): string {
  return typeof value.value === "object" ? jsonOf(value) : String(value.value);
}

/** Integers have all their digits, without quotes, since queries split lists of them at the commas. */
function jsonOf({ value }: EthereumValue): string {
  if (typeof value === "object") return `[${value.map(jsonOf).join(",")}]`;
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}
