import { quote } from "../../base/quote.js";
import type { AbiEvent } from "../abi/abi.js";
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

/** Looks up a template's `source` in the ABI of the creating contract; `undefined` after a reported error. */
export function findCreationEvent(
  source: TemplateSource,
  { abi }: AbiDeclaration,
  report: Report,
): CreationEvent | undefined {
  const { eventSignature } = source;
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
        label: "no template can be created by it",
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
