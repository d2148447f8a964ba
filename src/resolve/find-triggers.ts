import { type AbiEvent, type AbiFunction, manifestSignature } from "../abi/abi.js";
import type { Report } from "../diagnostics/report.js";
import type { AbiDeclaration } from "../validate/config.js";

/** Something on chain that a handler can listen to. */
export type TriggerEntry = AbiEvent | AbiFunction;

/** Why graph-node cannot deliver an event, or `undefined` when it can. */
export function undeliverableReason(event: AbiEvent): string | undefined {
  if (event.anonymous) return "it is anonymous, so its logs do not say which event they are";
  if (event.inputs.some(({ type, indexed }) => indexed && type.kind === "tuple")) {
    return "it has an indexed struct, which graph-node does not match";
  }
  return undefined;
}

/** Whether a call handler can listen to a function. */
export function isStateChanging(fn: AbiFunction): boolean {
  return fn.mutability === "nonpayable" || fn.mutability === "payable";
}

/**
 * Everything an instance of an ABI listens to: its deliverable events and, with call handlers, the functions that
 * change state. What is left out is reported as a warning.
 */
export function findTriggers(
  declaration: AbiDeclaration,
  withCalls: boolean,
  report: Report,
): readonly TriggerEntry[] {
  const { abi, name } = declaration;
  const events = abi.events.filter((event) => {
    const reason = undeliverableReason(event);
    if (reason) {
      report.warning(
        "event-skipped",
        name.at,
        `event ${manifestSignature(event)} of "${name.value}" is not indexed: ${reason}`,
      );
    }
    return reason === undefined;
  });
  return [...events, ...(withCalls ? abi.functions.filter(isStateChanging) : [])];
}
