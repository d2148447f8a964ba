import type { PoiEvent } from "../poi/events.js";
import type { Match } from "./triggers/triggers.js";

/** What the handlers of a block do, as a proof of indexing contains it. */
export class BlockEvents {
  readonly #events: PoiEvent[] = [];
  /** The trigger whose handlers run, and how many events there were before it. */
  #trigger: unknown;
  #before = 0;
  #hasFailed = false;
  #hasRun = false;

  /** Adds what the handler of a match has done. Matches of one trigger follow each other. */
  add(match: Match, events: readonly PoiEvent[], hasFailed: boolean): void {
    const trigger = triggerOf(match);
    if (trigger !== this.#trigger) this.endTrigger();
    this.#trigger = trigger;
    this.#hasRun = true;
    for (const event of events) this.#events.push(event);
    this.#hasFailed ||= hasFailed;
  }

  /** A failure is noted once all handlers of its trigger have run. */
  endTrigger(): void {
    if (this.#hasFailed) this.#events.push({ kind: "error", events: this.#events.length - this.#before });
    this.#trigger = undefined;
    this.#before = this.#events.length;
    this.#hasFailed = false;
  }

  /** All events of the block; `undefined` if no handler ran. */
  end(): readonly PoiEvent[] | undefined {
    this.endTrigger();
    return this.#hasRun ? this.#events : undefined;
  }
}

/** What the handlers of one trigger have in common. */
function triggerOf(match: Match): unknown {
  if (match.kind === "event") return match.log;
  if (match.kind === "call") return match.call;
  if (match.kind === "file") return match.source;
  if (match.kind === "entity") return match.entity;
  const { blockHandlers } = match.source.template;
  return blockHandlers.find(({ handler }) => handler === match.handler)?.filter.kind;
}
