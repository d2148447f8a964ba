import { randomUUID } from "node:crypto";
import type { Outgoing } from "../../web/outgoing/outgoing.js";
import type { Platform } from "../platform.js";
import { attempt } from "./attempt.js";
import { Bell } from "./bell.js";
import {
  type ClaimedEvent,
  claimEvents,
  type DueWebhook,
  dueWebhooks,
  findDue,
  type Outcome,
  releaseEvents,
  settleEvents,
} from "./claims.js";
import type { Report } from "./collector.js";
import { trimEvents } from "./outbox.js";
import { measurePending, pruneOutcomes } from "./outcome-figures.js";
import type { SenderLimits } from "./sender-limits.js";

/** A running attempt. */
interface Flight {
  /** The start time, in milliseconds. */
  readonly began: number;
}

/** The state of a webhook in a sender that sends its events. Times are in milliseconds. */
class Line {
  /** The id of its project. */
  readonly project: string;
  readonly #flights = new Set<Flight>();
  /** The time of the last delivery. */
  #deliveredAt = Number.NEGATIVE_INFINITY;
  /** Outcomes that are not written yet, in the order in which the attempts ended. */
  readonly outcomes: Outcome[] = [];
  /** Outcomes written since the oldest events were last deleted. */
  written = 0;

  constructor(project: string) {
    this.project = project;
  }

  get isFlying(): boolean {
    return this.#flights.size > 0;
  }

  begin(now: number): Flight {
    const flight = { began: now };
    this.#flights.add(flight);
    return flight;
  }

  /** @param outcome `undefined` if there is none to write */
  end(flight: Flight, outcome: Outcome | undefined, now: number): void {
    this.#flights.delete(flight);
    if (!outcome) return;
    const isExcused = outcome.status !== "delivered" && flight.began < this.#deliveredAt;
    if (outcome.status === "delivered") this.#deliveredAt = now;
    this.outcomes.push({ ...outcome, isExcused });
  }

  /**
   * Counts the running attempts: the ones that hang while the receiver answers others, and all the rest.
   * Hanging attempts do not keep other events from being sent.
   * @param slow the duration from which an attempt counts as hanging
   */
  flying(now: number, slow: number): { readonly hanging: number; readonly others: number } {
    const hanging = [...this.#flights].filter(
      ({ began }) => now - began > slow && began < this.#deliveredAt,
    ).length;
    return { hanging, others: this.#flights.size - hanging };
  }
}

/** After this many written outcomes, the oldest finished events are deleted. */
const trimAfter = 200;
/** Milliseconds between counts of the waiting events, and between deletions of old figures. */
const [measureEvery, pruneEvery] = [20_000, 3_600_000];

/** Sends due events of all webhooks concurrently, for as long as it runs. */
export class Dispatcher {
  readonly #platform: Platform;
  readonly #outgoing: Outgoing;
  readonly #limits: SenderLimits;
  readonly #report: Report;
  readonly #lease = randomUUID();
  readonly #lines = new Map<string, Line>();
  readonly #stopping = new AbortController();
  readonly #flights = new Set<Promise<void>>();
  readonly bell: Bell;
  #turn = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #prunedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(platform: Platform, outgoing: Outgoing, limits: SenderLimits, report: Report) {
    this.#platform = platform;
    this.#outgoing = outgoing;
    this.#limits = limits;
    this.#report = report;
    this.bell = new Bell(platform.world);
  }

  /** Runs until `stop` is called. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#settle();
        await this.#claim();
        await this.#measure();
      } catch (error) {
        this.#report("webhooks could not be delivered", error);
      }
      await this.bell.wait(this.#limits.poll);
    }
    await this.#end();
  }

  /** Claims no more events; running attempts get some time to finish. */
  stop(): void {
    this.#isStopped = true;
    this.bell.ring();
  }

  async #end(): Promise<void> {
    const late = this.#platform.world.timeout(this.#limits.drain);
    late.addEventListener("abort", () => this.#stopping.abort());
    await Promise.all(this.#flights);
    try {
      await this.#settle();
      await releaseEvents(this.#platform.database, this.#lease);
    } catch (error) {
      // Other servers claim them once the claims expire.
      this.#report("the outcome of the last deliveries could not be saved", error);
    }
  }

  async #claim(): Promise<void> {
    const due = await dueWebhooks(this.#platform.database);
    // Each round starts with a different webhook.
    this.#turn += 1;
    for (let index = 0; index < due.length; index++) {
      const webhook = due[(index + this.#turn) % due.length];
      if (!webhook || this.#isStopped) return;
      const { second, grace } = this.#limits;
      const line = this.#lineOf(webhook);
      const most = this.#placesFor(line);
      if (most <= 0) continue;
      const time = webhook.timeout * second + grace;
      const claim = { webhook: webhook.id, lease: this.#lease, most, time };
      const events = await claimEvents(this.#platform.database, claim, this.#limits);
      if (events.length === 0) continue;
      // It may have changed since it became due: a new receiver gets the events that are claimed from then on.
      const now = await findDue(this.#platform.database, webhook.id);
      if (now) for (const event of events) this.#send(now, line, event);
    }
  }

  /** How many more attempts of a webhook may start. */
  #placesFor(line: Line): number {
    const { mostAtOnce, mostOfProject, mostOfWebhook, mostHanging, slow } = this.#limits;
    const now = this.#platform.world.now();
    const of = line.flying(now, slow);
    const hanging = [...this.#lines.values()].reduce((sum, one) => sum + one.flying(now, slow).hanging, 0);
    // Hanging attempts beyond their own places take places of the others.
    const ofProject = [...this.#lines.values()]
      .filter(({ project }) => project === line.project)
      .reduce((sum, one) => sum + one.flying(now, slow).others, 0);
    const excess = Math.max(0, of.hanging - mostHanging);
    const excessOfAll = Math.max(0, hanging - 4 * mostHanging);
    return Math.min(
      mostOfWebhook - of.others - excess,
      mostOfProject - ofProject,
      mostAtOnce - (this.#flights.size - hanging) - excessOfAll,
    );
  }

  #send(webhook: DueWebhook, line: Line, event: ClaimedEvent): void {
    const { world, secretKey, settings, meters } = this.#platform;
    const tools = {
      world,
      secretKey,
      limits: this.#limits,
      outgoing: this.#outgoing,
      version: settings.version,
      signal: this.#stopping.signal,
    };
    const begun = line.begin(world.now());
    const flight = attempt(webhook, event, tools)
      .then(
        (outcome) => {
          line.end(begun, outcome, world.now());
          if (!outcome) return;
          const { status, duration } = outcome;
          meters?.delivered(status === "pending" ? "retried" : status, duration / 1000);
        },
        (error: unknown) => {
          line.end(begun, undefined, world.now());
          this.#report(`an event of the webhook ${webhook.id} could not be sent`, error);
        },
      )
      .finally(() => {
        this.#flights.delete(flight);
        this.bell.ring();
      });
    this.#flights.add(flight);
  }

  async #settle(): Promise<void> {
    const { database } = this.#platform;
    for (const [webhook, line] of this.#lines) {
      const outcomes = [...line.outcomes];
      if (outcomes.length > 0) {
        await settleEvents(database, { webhook, lease: this.#lease, outcomes }, this.#limits);
        line.outcomes.splice(0, outcomes.length);
        line.written += outcomes.length;
      }
      const isIdle = !line.isFlying && line.outcomes.length === 0;
      if (line.written >= trimAfter) {
        line.written = 0;
        await trimEvents(database, webhook);
      } else if (isIdle && line.written === 0) this.#lines.delete(webhook);
    }
  }

  async #measure(): Promise<void> {
    const { database, world } = this.#platform;
    const now = world.now();
    if (Math.abs(now - this.#measuredAt) >= measureEvery) {
      await measurePending(database);
      this.#measuredAt = now;
    }
    if (Math.abs(now - this.#prunedAt) < pruneEvery) return;
    await pruneOutcomes(database);
    this.#prunedAt = now;
  }

  #lineOf({ id, project }: DueWebhook): Line {
    const known = this.#lines.get(id);
    if (known) return known;
    const line = new Line(project);
    this.#lines.set(id, line);
    return line;
  }
}
