import { id as hashOf } from "ethers";
import { expect } from "vitest";
import type { EntityTable } from "../../src/store/tables/layout.js";
import type { BlockFacts, Happening } from "../support/chain/block-facts.js";
import type { ListeningSource } from "../support/chain/happening-chain.js";
import type { ShownVersion, ShownWriter } from "./shown-history.js";
import { factsIn, type StoredVersion } from "./stored-histories.js";

/** What is known of the handlers of an example. */
export interface KnownHandlers {
  readonly sources: readonly ListeningSource[];
  /** The text of the configuration. */
  readonly config: string;
  /** The events that store a type, by name, where a mapping says it and not the configuration. */
  readonly storing?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Whether it is counted in the database what handlers stored in the version's block. */
  readonly isCounted: boolean;
}

/**
 * One of the handlers that a version may be of has run for what happened in its block, and its place in the configuration
 * is that of this handler.
 */
export function checkWriters(
  { handler, writers }: ShownVersion,
  version: StoredVersion,
  { happenings }: BlockFacts,
  { type, interval }: EntityTable,
  { sources, config, storing, isCounted }: KnownHandlers,
): void {
  if (interval !== undefined) {
    expect(handler).toBe("computed by the store at the end of the interval");
    return;
  }
  const { transaction, contract } = factsIn(version);
  const own = happenings.filter(
    (each) =>
      (transaction === undefined || each.transaction === transaction) &&
      (contract === undefined || each.contract === contract),
  );
  const ran = new Map(own.flatMap((happening) => listenersTo(happening, sources)));
  const wrote = writers.filter(({ who }) => {
    const trigger = ran.get(who);
    return trigger !== undefined && (storing?.[type]?.includes(trigger) ?? true);
  });
  const told = [type, version.begins, [...ran], writers];
  expect([...told, wrote.length > 0]).toEqual([...told, true]);
  // Handlers of other contracts cannot have written what names its contract.
  const { length: most } = sources
    .filter(({ address = contract }) => contract === undefined || address === contract)
    .flatMap(({ events, calls }) => [...events, ...calls]);
  const [, several = 1] = /^one of (\d+) handlers$/.exec(handler) ?? [];
  expect([...told, Number(several) <= most]).toEqual([...told, true]);
  const storesType = storing?.[type];
  if (storesType) {
    // What handlers have stored is counted, which leaves only those that have stored the type, or have done so in this block.
    const triggers = new Map(sources.flatMap(triggersOf));
    const others = writers.filter(({ who }) => !storesType.includes(triggers.get(who) ?? ""));
    expect([...told, others]).toEqual([...told, []]);
    const inBlock = new Map(happenings.flatMap((happening) => listenersTo(happening, sources)));
    const did = [...inBlock].filter(([, trigger]) => storesType.includes(trigger));
    if (isCounted) expect([...told, Number(several) <= did.length]).toEqual([...told, true]);
  }
  for (const writer of wrote) checkPlace(type, writer, ran.get(writer.who) ?? "", config);
}

/** The handlers of a source, each with the name of what it listens to. */
function triggersOf({ name, events, calls }: ListeningSource): readonly (readonly [string, string])[] {
  return [...events, ...calls].map(
    ({ signature, handler }) => [`${handler} of ${name}`, signature.split("(")[0] ?? ""] as const,
  );
}

/** The handlers that listen to something, each with the name of what it is. */
function listenersTo(
  { kind, contract, topics }: Happening,
  sources: readonly ListeningSource[],
): readonly (readonly [who: string, trigger: string])[] {
  return sources
    .filter(({ address = contract }) => address === contract)
    .flatMap(({ name, events, calls }) =>
      (kind === "event" ? events : calls)
        .filter(({ signature }) => {
          const parts = signature.split("indexed ");
          const hash = hashOf(parts.join(""));
          if (kind === "call") return hash.slice(0, 10) === topics[0];
          return hash === topics[0] && parts.length === topics.length;
        })
        .map(({ signature, handler }) => [`${handler} of ${name}`, signature.split("(")[0] ?? ""] as const),
    );
}

/** @param trigger the name of the event or function */
function checkPlace(type: string, { who, place }: ShownWriter, trigger: string, config: string): void {
  const lines = config.split("\n");
  const keyIn = (line: string): string | undefined => /^ {10}"(\w+)(?:\(.*\))?": \{/.exec(line)?.[1];
  // The place is known of what the configuration describes.
  if (place === "not known") {
    const isDescribed = config.includes(`"${type}": `) || lines.some((line) => keyIn(line) === trigger);
    expect([type, trigger, isDescribed]).toEqual([type, trigger, false]);
    return;
  }
  const [, number] = /^subgraph\.json:(\d+)$/.exec(place) ?? [];
  if (number === undefined) {
    expect([type, place]).toEqual([type, expect.stringMatching(new RegExp(`/handlers/${trigger}\\b`))]);
    return;
  }
  const above = lines.slice(0, Number(number)).reverse();
  const key = above.map(keyIn).find((each) => each !== undefined);
  const abi = above.map((line) => /^ {6}"abi": "(\w+)"/.exec(line)?.[1]).find((each) => each !== undefined);
  expect([type, who, place, key]).toEqual([type, who, place, trigger]);
  // Handlers are named after the ABI and what they listen to.
  expect(who).toContain(`handle${abi}${trigger.charAt(0).toUpperCase()}${trigger.slice(1)}`);
}
