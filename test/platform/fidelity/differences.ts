import { isDeepStrictEqual } from "node:util";
import type { Played } from "./play.js";
import {
  moments,
  type RecordedCase,
  type RecordedError,
  type RecordedStatus,
  type Sample,
} from "./recorded.js";

/** A difference from graph-node. */
export interface Difference {
  /** `deploy`, `15 status.synced`, `restarted answers[3]`. */
  readonly where: string;
  readonly graphNode: unknown;
  readonly here: unknown;
  /** The query, for a different answer. */
  readonly query?: string;
}

/**
 * The differences from graph-node. Error messages and the handlers that they name are not compared.
 *
 * A deployment that graph-node keeps retrying is compared at the block before the failure. graph-node's head may be
 * behind that block, depending on the timing of its writes, and so may its answers.
 */
export function differencesOf(one: RecordedCase, played: Played): readonly Difference[] {
  const isAccepted = one.deploy === "accepted";
  if (isAccepted !== (played.deploy === "accepted")) {
    return [{ where: "deploy", graphNode: one.deploy, here: played.deploy }];
  }
  return moments.flatMap((moment) => {
    const recorded = one.recorded[moment];
    const own = played.samples[moment];
    if (!recorded || !own) return [];
    return [...ofStatus(recorded.status, own.status), ...ofAnswers(one, recorded, own)].map((difference) => ({
      ...difference,
      where: `${moment} ${difference.where}`,
    }));
  });
}

function ofStatus(recorded: RecordedStatus, own: RecordedStatus): readonly Difference[] {
  const graphNode = comparable(recorded, isBehind(recorded) ? blockBefore(recorded) : recorded.latestBlock);
  const here: typeof graphNode = comparable(own, own.latestBlock);
  return Object.entries(graphNode).flatMap(([field, value]) => {
    if (field === "entityCount" && isBehind(recorded)) return [];
    const ours = here[field];
    return isDeepStrictEqual(value, ours) ? [] : [{ where: `status.${field}`, graphNode: value, here: ours }];
  });
}

function ofAnswers({ queries }: RecordedCase, recorded: Sample, own: Sample): readonly Difference[] {
  if (isBehind(recorded.status)) return [];
  return queries.flatMap((query, index) => {
    const [graphNode, here] = [recorded.answers[index], own.answers[index]];
    return isDeepStrictEqual(graphNode, here) ? [] : [{ where: `answers[${index}]`, query, graphNode, here }];
  });
}

function comparable(
  { fatalError, nonFatalErrors, ...rest }: RecordedStatus,
  latestBlock: string | null | undefined,
): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    latestBlock,
    fatalError: fatalError && shortened(fatalError),
    nonFatalErrors: nonFatalErrors.map(shortened),
  };
}

function shortened({ block, deterministic }: RecordedError): unknown {
  return { block, deterministic };
}

/** Whether the block before the retried one is not written yet. */
function isBehind(status: RecordedStatus): boolean {
  const before = blockBefore(status);
  return before !== undefined && status.latestBlock !== before;
}

function blockBefore({ fatalError }: RecordedStatus): string | undefined {
  if (!fatalError || fatalError.deterministic || fatalError.block === null) return undefined;
  return String(Number(fatalError.block) - 1);
}

/** Renders differences for reading. */
export function showDifferences(differences: readonly Difference[]): string {
  return differences
    .map(({ where, query, graphNode, here }) =>
      [
        where,
        ...(query === undefined ? [] : [`  asked: ${query}`]),
        `  graph-node: ${JSON.stringify(graphNode)}`,
        `  here: ${JSON.stringify(here)}`,
      ].join("\n"),
    )
    .join("\n");
}
