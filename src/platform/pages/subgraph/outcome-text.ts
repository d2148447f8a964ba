import type { OutcomeCounts } from "../../webhooks/outcome-figures.js";
import { digits } from "../parts.js";

/** `120 delivered, 3 failed and retried, 1 failed for good` */
export function outcomeText({ delivered, retried, failed }: OutcomeCounts): string {
  return [
    `${digits(delivered)} delivered`,
    ...(retried > 0 ? [`${digits(retried)} failed and retried`] : []),
    ...(failed > 0 ? [`${digits(failed)} failed for good`] : []),
  ].join(", ");
}
