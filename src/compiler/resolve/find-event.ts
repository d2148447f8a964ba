import { quote } from "../../base/text/quote.js";
import type { Abi, AbiEvent } from "../abi/abi.js";
import { matchSignature } from "../abi/match-signature.js";
import { rewrite } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import type { AbiDeclaration, TemplateSource } from "../validate/config.js";
import { findAddressParameter } from "./address-parameter.js";
import { findEntry } from "./find-entry.js";
import { undeliverable } from "./find-triggers.js";

/** The event that creates a template's contracts, and its parameter with the new address. */
export interface CreationEvent {
  readonly event: AbiEvent;
  readonly position: number;
}

/**
 * Looks up a template's `source` in the ABI of the creating contract.
 * @param others every ABI that is declared
 * @returns `undefined` after a reported error
 */
export function findCreationEvent(
  source: TemplateSource,
  { abi }: AbiDeclaration,
  others: readonly AbiDeclaration[],
  report: Report,
): CreationEvent | undefined {
  const { eventSignature } = source;
  if (reportElsewhere(source, abi, others, report)) return undefined;
  const pool = { entries: abi.events, abiName: source.abi.value, kinds: "event" };
  const event = findEntry(eventSignature, pool, report);
  if (!event) return undefined;
  const obstacle = undeliverable(event);
  if (obstacle) {
    report.error(
      "event-not-deliverable",
      eventSignature.at,
      `event ${quote(event.name)} never reaches a subgraph`,
      {
        label: "it cannot create a template",
        related: [obstacle.place],
        notes: [obstacle.reason],
        hint: "name another event that announces the contract",
      },
    );
    return undefined;
  }
  const position = findAddressParameter(source.addressParam, event, report);
  return position === undefined ? undefined : { event, position };
}

/** Reports an event that exactly one other ABI has: then the ABI's name is wrong, not the event. */
function reportElsewhere(
  { abi: named, eventSignature }: TemplateSource,
  abi: Abi,
  others: readonly AbiDeclaration[],
  report: Report,
): boolean {
  const has = ({ events }: Abi): boolean => matchSignature(eventSignature.value, events).kind === "match";
  const name = eventSignature.value.replace(/\(.*$/s, "").trim();
  if (has(abi) || abi.events.some((event) => event.name === name)) return false;
  const [other, ...more] = others.filter((declared) => has(declared.abi));
  if (!other || more.length > 0) return false;
  const right = other.name.value;
  const message = `ABI ${quote(named.value)} has no event ${quote(eventSignature.value)}`;
  report.error("unknown-signature", named.at, message, {
    label: `ABI ${quote(right)} has it`,
    related: [{ at: eventSignature.at, text: "the event" }],
    hint: `write ${quote(right)}`,
    fix: [rewrite(named, right)],
  });
  return true;
}
