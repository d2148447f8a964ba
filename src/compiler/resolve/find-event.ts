import { quote } from "../../base/quote.js";
import type { AbiEvent } from "../abi/abi.js";
import { canonicalType } from "../abi/solidity-type.js";
import { correctName } from "../diagnostics/correct-name.js";
import type { Report } from "../diagnostics/report.js";
import type { AbiDeclaration, TemplateSource } from "../validate/config.js";
import { findEntry } from "./find-entry.js";
import { undeliverable } from "./find-triggers.js";

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
  const position = event.inputs.findIndex((_, index) => nameAt(event, index) === source.addressParam.value);
  if (event.inputs[position]?.type.kind === "address") return { event, position };
  reportParameter(source, event, position, report);
  return undefined;
}

function nameAt({ inputs }: AbiEvent, position: number): string {
  return inputs[position]?.name || `param${position}`;
}

/** Says which parameter was named instead of one that is an address. */
function reportParameter(
  { addressParam }: TemplateSource,
  event: AbiEvent,
  position: number,
  report: Report,
): void {
  const addresses = event.inputs.flatMap(({ type }, index) =>
    type.kind === "address" ? [nameAt(event, index)] : [],
  );
  const parameter = event.inputs[position];
  const correction = parameter ? undefined : correctName(addressParam, addresses);
  const details = {
    notes: addresses.length > 0 ? [`its address parameters are ${addresses.join(", ")}`] : [],
    hint: addresses[0] === undefined ? "name an event with an address parameter" : `write "${addresses[0]}"`,
    ...correction,
  };
  const name = quote(addressParam.value);
  if (parameter) {
    report.error("parameter-not-address", addressParam.at, `parameter ${name} is not an address`, {
      label: `it is ${canonicalType(parameter.type)}`,
      related: [{ at: event.locate(["inputs", position, "type"]), text: "declared here" }],
      ...details,
    });
  } else {
    const message = `event ${quote(event.name)} has no parameter ${name}`;
    report.error("unknown-parameter", addressParam.at, message, {
      label: "not a parameter of this event",
      related: [{ at: event.locate(), text: "the event" }],
      ...details,
    });
  }
}
