import { Interface } from "ethers";
import { type EventName, events } from "./contracts.js";

/** A log before it has a place on a chain. */
export interface MadeLog {
  readonly address: string;
  readonly event: EventName;
  readonly values: readonly unknown[];
}

/** A log as a node returns it, with numbers read. */
export interface PlacedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly transaction: string;
  readonly index: number;
}

/** A decoded log. Addresses and hashes are lower case; numbers are of the type `bigint`. */
export interface MarketLog extends Omit<PlacedLog, "topics" | "data"> {
  readonly event: EventName;
  /** The address of a name. */
  text(name: string): string;
  /** The number of a name. */
  number(name: string): bigint;
  /** The numbers of a name. */
  numbers(name: string): readonly bigint[];
}

const known = Object.entries(events).map(([name, [signature, topic]]) => {
  const reader = new Interface([signature]);
  const fragment = reader.getEvent(topic);
  if (!fragment) throw new Error(`the topic of ${name} is not that of ${signature}`);
  return { name: name as EventName, topic: topic as string, reader, fragment };
});
const byTopic = new Map(known.map((event) => [event.topic, event]));
const byName = new Map(known.map((event) => [event.name, event]));

/** Topics and data of a log. */
export function encodeMarketLog({ event, values }: MadeLog): { topics: string[]; data: string } {
  const found = byName.get(event);
  if (!found) throw new Error(`no event ${event}`);
  return found.reader.encodeEventLog(found.fragment, values);
}

/** Decodes a log. @throws Error for an event that the market does not have */
export function decodeMarketLog({ topics, data, ...place }: PlacedLog): MarketLog {
  const found = byTopic.get(topics[0] ?? "");
  if (!found) throw new Error(`unknown topic ${topics[0]}`);
  const args = found.reader.decodeEventLog(found.fragment, data, topics).toObject();
  return {
    ...place,
    address: place.address.toLowerCase(),
    event: found.name,
    text: (name) => String(args[name]).toLowerCase(),
    number: (name) => BigInt(args[name]),
    numbers: (name) => [...args[name]],
  };
}
