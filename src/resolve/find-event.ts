import { type AbiEvent, manifestSignature } from "../abi/abi.js";
import { canonicalType } from "../abi/solidity-type.js";
import type { Report } from "../diagnostics/report.js";
import { suggest } from "../diagnostics/suggest.js";
import type { AbiDeclaration, TemplateSource } from "../validate/config.js";
import { findEntry } from "./find-entry.js";
import { undeliverableReason } from "./find-triggers.js";

/** The event a template listens to, and which of its parameters holds the new contract's address. */
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
  const event = findEntry(source.eventSignature, abi.events, source.abi.value, "event", report);
  if (!event) return undefined;
  const reason = undeliverableReason(event);
  if (reason) {
    report.error(
      "event-not-deliverable",
      source.eventSignature.at,
      `event ${manifestSignature(event)} cannot be listened to: ${reason}`,
    );
    return undefined;
  }
  const wanted = source.addressParam.value;
  const position = event.inputs.findIndex((input, index) => (input.name || `param${index}`) === wanted);
  const parameter = event.inputs[position];
  if (parameter?.type.kind === "address") return { event, position };
  reportParameter(source, event, parameter && canonicalType(parameter.type), report);
  return undefined;
}

function reportParameter(
  { addressParam }: TemplateSource,
  event: AbiEvent,
  type: string | undefined,
  report: Report,
): void {
  const name = (index: number): string => event.inputs[index]?.name || `param${index}`;
  const addresses = event.inputs.flatMap((input, index) =>
    input.type.kind === "address" ? [name(index)] : [],
  );
  const near = suggest(addressParam.value, addresses);
  const hint =
    addresses.length === 0
      ? "name an event with an address parameter"
      : `write ${(near.length > 0 ? near : addresses).map((found) => `"${found}"`).join(" or ")}`;
  if (type === undefined) {
    report.error(
      "unknown-parameter",
      addressParam.at,
      `event ${event.name} has no parameter "${addressParam.value}"`,
      { hint },
    );
  } else {
    report.error(
      "parameter-not-address",
      addressParam.at,
      `parameter "${addressParam.value}" of event ${event.name} is ${type}, not an address`,
      { hint },
    );
  }
}
