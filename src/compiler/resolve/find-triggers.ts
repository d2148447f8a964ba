import { quote } from "../../base/text/quote.js";
import type { AbiEvent, AbiFunction } from "../abi/abi.js";
import type { RelatedPlace } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import type { AbiDeclaration } from "../validate/config.js";

/** An entry that a handler can listen to. */
export type TriggerEntry = AbiEvent | AbiFunction;

/** Why graph-node cannot deliver an event, and the text in the ABI that prevents it. */
export interface Undeliverable {
  readonly reason: string;
  readonly place: RelatedPlace;
}

/** Why graph-node cannot deliver an event, or `undefined` if it can. */
export function undeliverable(event: AbiEvent): Undeliverable | undefined {
  if (event.anonymous) {
    const place = { at: event.locate(), text: "declared anonymous" };
    return { reason: "it is anonymous, so its logs do not identify the event", place };
  }
  const position = event.inputs.findIndex(({ type, indexed }) => indexed && type.kind === "tuple");
  if (position === -1) return undefined;
  const place = { at: event.locate(["inputs", position, "type"]), text: "an indexed struct" };
  return { reason: "it has an indexed struct, which graph-node cannot match", place };
}

/** Whether a call handler can listen to a function. */
export function isStateChanging(fn: AbiFunction): boolean {
  return fn.mutability === "nonpayable" || fn.mutability === "payable";
}

/** All triggers of an ABI: deliverable events and, with call handlers, state-changing functions. */
export function findTriggers(
  { abi }: Pick<AbiDeclaration, "abi">,
  withCalls: boolean,
): readonly TriggerEntry[] {
  const events = abi.events.filter((event) => !undeliverable(event));
  return [...events, ...(withCalls ? abi.functions.filter(isStateChanging) : [])];
}

/**
 * Warns about skipped events.
 * @param asked the entries with a handler, which are reported as errors elsewhere
 */
export function reportSkipped(
  { abi, name }: AbiDeclaration,
  asked: ReadonlySet<TriggerEntry>,
  report: Report,
): void {
  for (const event of abi.events) {
    const found = asked.has(event) ? undefined : undeliverable(event);
    if (!found) continue;
    const message = `event ${quote(event.name)} of ${quote(name.value)} is not indexed`;
    report.warning("event-skipped", name.at, message, {
      label: "has this event",
      related: [found.place],
      notes: [found.reason],
    });
  }
}
