import type { HourOfOutcomes } from "../../webhooks/outcome-counts.js";
import { digits } from "../parts.js";

/** `120 delivered, 3 failed and retried, 1 failed for good` */
export function outcomeText(counted: readonly HourOfOutcomes[]): string {
  const sum = (of: "delivered" | "retried" | "failed") => counted.reduce((all, one) => all + one[of], 0n);
  const [retried, failed] = [sum("retried"), sum("failed")];
  return [
    `${digits(sum("delivered"))} delivered`,
    ...(retried > 0n ? [`${digits(retried)} failed and retried`] : []),
    ...(failed > 0n ? [`${digits(failed)} failed for good`] : []),
  ].join(", ");
}
