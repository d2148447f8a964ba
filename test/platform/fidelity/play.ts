import type { TestDatabases } from "../../support/database/databases.js";
import type { RecordedCase } from "./recorded.js";
import { type Moment, moments, type Sample } from "./recorded.js";
import { Stage } from "./stage.js";

/** The result of a case here. */
export interface Played {
  /** `accepted`, or the reason for the rejection. */
  readonly deploy: string;
  readonly samples: { readonly [At in Moment]?: Sample };
}

/**
 * Plays cases side by side, on one database and the recorded chain, as they were recorded.
 * @returns the results, by the names of the cases
 */
export async function playCases(
  cases: readonly RecordedCase[],
  databases: TestDatabases,
): Promise<ReadonlyMap<string, Played>> {
  const stage = await Stage.open(databases);
  try {
    const verdicts = new Map<string, string>();
    const samples = new Map<string, { [At in Moment]?: Sample }>();
    for (const moment of moments) {
      const own = cases.filter(
        (one) => beginOf(one) <= moments.indexOf(moment) && moments.indexOf(moment) <= endOf(one),
      );
      await stage.moveTo(moment);
      for (const one of own) {
        if (!verdicts.has(one.name)) verdicts.set(one.name, await stage.deploy(one));
      }
      await stage.start();
      for (const one of own) {
        if (!one.recorded[moment] || verdicts.get(one.name) !== "accepted") continue;
        samples.set(one.name, { ...samples.get(one.name), [moment]: await stage.sample(one, moment) });
      }
      await stage.pause(own.filter((one) => endOf(one) === moments.indexOf(moment)));
    }
    return new Map(
      [...verdicts].map(([name, deploy]) => [name, { deploy, samples: samples.get(name) ?? {} }]),
    );
  } finally {
    await stage.close();
  }
}

/** The index of the moment at which a case is deployed; the first for a rejected case. */
function beginOf({ recorded }: RecordedCase): number {
  return Math.max(
    0,
    moments.findIndex((moment) => recorded[moment]),
  );
}

/** The index of the last moment with a recording of the case. */
function endOf({ recorded }: RecordedCase): number {
  return Math.max(
    0,
    moments.findLastIndex((moment) => recorded[moment]),
  );
}
