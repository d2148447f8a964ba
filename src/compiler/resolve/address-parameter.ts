import { quote } from "../../base/text/quote.js";
import type { AbiEvent } from "../abi/abi.js";
import { canonicalType } from "../abi/solidity-type.js";
import { nearName, sameDigits } from "../diagnostics/correct-name.js";
import { type Details, rewrite } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import type { LocatedString } from "../source/source.js";

/**
 * Finds the parameter with the address of a new contract.
 * @returns its index; `undefined` after a reported error
 */
export function findAddressParameter(
  written: LocatedString,
  event: AbiEvent,
  report: Report,
): number | undefined {
  const position = positionOf(written.value, event);
  if (event.inputs[position]?.type.kind === "address") return position;
  const meant = bareName(written.value);
  const bare = positionOf(meant, event);
  if (bare === -1) reportUnknown(written, meant, event, report);
  else if (event.inputs[bare]?.type.kind !== "address") reportNoAddress(written, meant, bare, event, report);
  else report.error("unknown-parameter", written.at, ...unknown(written, event, correction(written, meant)));
  return undefined;
}

function positionOf(name: string, event: AbiEvent): number {
  return event.inputs.findIndex((_, index) => nameAt(event, index) === name);
}

function nameAt({ inputs }: AbiEvent, position: number): string {
  return inputs[position]?.name || `param${position}`;
}

/** The names of address parameters. */
export function addressesOf(event: AbiEvent): readonly string[] {
  return event.inputs.flatMap(({ type }, index) => (type.kind === "address" ? [nameAt(event, index)] : []));
}

/**
 * `pool` of `event.params.pool`, of `params.pool` and of `event.params.pool.toHexString()`, as in
 * expressions.
 */
function bareName(text: string): string {
  return (
    /^\s*(?:event\s*\.\s*)?(?:params\s*\.\s*)?(.*?)(?:\.toHex(?:String)?\(\))?\s*$/s.exec(text)?.[1] ?? text
  );
}

function reportUnknown(written: LocatedString, meant: string, event: AbiEvent, report: Report): void {
  const name = surelyMeant(meant, addressesOf(event));
  const details = name === undefined ? choice(event) : correction(written, name);
  report.error("unknown-parameter", written.at, ...unknown(written, event, details));
}

/**
 * The parameter that a wrong name must mean. A wrong guess would compile and index other contracts, so similarity is
 * not enough.
 */
function surelyMeant(word: string, names: readonly string[]): string | undefined {
  const bare = (name: string): string => name.replace(/^_+/, "");
  const [same, ...others] = names.filter((name) => bare(name) === bare(word));
  if (same !== undefined && others.length === 0) return same;
  const near = nearName(word, names);
  return near?.certain && sameDigits(near.name, word) ? near.name : undefined;
}

function correction(written: LocatedString, name: string): Details {
  return { hint: `write ${quote(name)}`, fix: [rewrite(written, name)] };
}

function choice(event: AbiEvent): Details {
  return {
    hint:
      addressesOf(event).length > 0
        ? "name the parameter that holds the address of the new contract"
        : "name an event with an address parameter",
  };
}

function unknown(
  { value }: LocatedString,
  event: AbiEvent,
  details: Details,
): readonly [message: string, details: Details] {
  return [
    `event ${quote(event.name)} has no parameter ${quote(value)}`,
    {
      label: /^\s*(?:event|params)\b/.test(value)
        ? "a parameter name, not an expression, is expected here"
        : "not a parameter of this event",
      related: [{ at: event.locate(), text: "the event" }],
      notes: listed(event),
      ...details,
    },
  ];
}

function reportNoAddress(
  { at }: LocatedString,
  name: string,
  position: number,
  event: AbiEvent,
  report: Report,
): void {
  const type = event.inputs[position]?.type;
  report.error("parameter-not-address", at, `parameter ${quote(name)} is not an address`, {
    ...(type && { label: `it is ${canonicalType(type)}` }),
    related: [{ at: event.locate(["inputs", position, "type"]), text: "declared here" }],
    notes: listed(event),
    ...choice(event),
  });
}

function listed(event: AbiEvent): readonly string[] {
  const names = addressesOf(event);
  return names.length > 0 ? [`its address parameters are ${names.join(", ")}`] : [];
}
