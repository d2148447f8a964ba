import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { sinkTypeOf } from "../../../../src/pipelines/sinks/all-sinks.js";
import { openSink } from "../../../../src/pipelines/sinks/open-sink.js";
import { bundledScript } from "../../bundled-script.js";
import { expectOnlyParkedMissing, expectRows, type LawfulSink } from "../expect-law.js";
import { expectedRows, lawPipeline } from "../law-pipeline.js";
import { randomOf } from "../random.js";
import { eachGroupOfSeeds, isLawCampaign, lawSeeds } from "./each-seed.js";
import type { KilledOrder, KilledTask, KilledWord } from "./killed-child.js";
import { killedWorld } from "./killed-world.js";
import { Schedule } from "./schedule.js";

/** Rounds of blocks and changes in a schedule. The suite has time for fewer than the campaign. */
const rounds = isLawCampaign ? 3 : 2;

/** A place that a process writes to, which holds nothing yet. */
export interface KilledPlace
  extends Pick<LawfulSink, "rows" | "ledger">,
    Pick<KilledTask, "definition" | "secrets" | "folder"> {
  /** Of a sink that parks rows which it refuses: from now on it accepts every row. */
  heal?(): Promise<void>;
}

/** Schedules that a process of the campaign writes at once: starting a process takes longer than writing one. */
const mostAtOnce = isLawCampaign ? 6 : 1;

/**
 * The law where the process that writes is killed with SIGKILL: in the middle of its writes, while it recovers, and once
 * more then. Afterwards, another one goes on until the sink has caught up. Rows that the sink refuses are parked, and tried again by
 * processes that are killed, too. The suite does so to a sink of each kind of
 * state (rows and position in one transaction, files, a topic, a journal), and the campaign to all of them.
 * @param emptied makes a place for each schedule. Those that a process writes at once have different slots, from 0.
 * @param atOnce the most schedules that a process writes at once
 */
export async function expectLawOfKilled(
  emptied: (slot: number) => Promise<KilledPlace>,
  seeds = lawSeeds(1),
  atOnce = mostAtOnce,
): Promise<void> {
  const processes = new Processes(await bundledScript("test/support/pipelines/law/killed-child.ts"));
  const moments = { opening: 20, steps: 20 };
  try {
    await eachGroupOfSeeds(seeds, atOnce, async (group) => {
      const writings = await Promise.all(
        group.map(async (seed, slot) => {
          const { rows, ledger, heal, ...place } = await emptied(slot);
          const isFinal = sinkTypeOf(place.definition.type).place === "files";
          return { seed, rows, ledger, heal, place, isFinal, schedule: new Schedule(seed, isFinal) };
        }),
      );
      const random = randomOf((group[0] ?? 0) + 2_000_000);
      const counts = { kills: 0, recoveries: 0 };
      for (let round = 1; round <= rounds; round += 1) {
        for (const { schedule } of writings) schedule.play();
        const killing = { random, moments, counts, mayLeave: round < rounds };
        const tasks = writings.map(({ place, seed }) => ({ ...place, seed, rounds: round }));
        await writeKilled(processes, tasks, killing);
      }
      const refusing = writings.filter(({ heal }) => heal);
      for (const writing of refusing) await expectParkedThenHeal(writing);
      const retries = refusing.map(({ place, seed }) => ({ ...place, seed, rounds, retries: true }));
      const killing = { random, moments, counts, mayLeave: false };
      if (retries.length > 0) await writeKilled(processes, retries, killing);
      return Promise.all(
        writings.map(async ({ seed, rows, ledger, isFinal, schedule }) => {
          const { chain, feed, reorganisations, deepest } = schedule;
          try {
            await expectRows({ rows, ...(ledger && { ledger }) }, expectedRows(chain, feed, isFinal), seed);
          } catch (error) {
            return error instanceof Error ? error : new Error(String(error));
          }
          return { reorganisations, deepest, repeating: feed.repeating, ...counts, cuts: 0 };
        }),
      );
    });
  } finally {
    processes.close();
  }
}

/** What was written of a schedule, and where. */
interface Writing extends Pick<KilledPlace, "rows"> {
  readonly heal: KilledPlace["heal"] | undefined;
  readonly place: Omit<KilledPlace, "rows" | "ledger" | "heal">;
  readonly isFinal: boolean;
  readonly schedule: Schedule;
}

async function expectParkedThenHeal({ rows, heal, place, isFinal, schedule }: Writing): Promise<void> {
  const { sink, owner } = await lawPipeline(place.definition);
  const world = killedWorld(place.folder, place.secrets);
  const opened = await openSink(sink, owner, world);
  try {
    const { chain, feed } = schedule;
    await expectOnlyParkedMissing(opened, await rows(), expectedRows(chain, feed, isFinal));
  } finally {
    await opened.close();
    world.close();
  }
  await heal?.();
}

/** How processes are killed. */
interface Killing {
  readonly random: () => number;
  /** Milliseconds and steps that it takes to open the sink, as the last process has shown. */
  readonly moments: { opening: number; steps: number };
  readonly counts: { kills: number; recoveries: number };
  /** Whether the chain may go on before another process does. */
  readonly mayLeave: boolean;
}

/** Writes what was played by processes that are killed, up to three times, and mostly by one that is not. */
async function writeKilled(
  processes: Processes,
  tasks: readonly KilledTask[],
  { random, moments, counts, mayLeave }: Killing,
): Promise<void> {
  /** Kills a process at a time, or at a request: before it, or after it, when its answer was not looked at. */
  const kill = async (word: "writing" | "opening", most: number, delay: number): Promise<boolean> => {
    const writer = processes.take();
    const order = { tasks, leader: Math.floor(random() * tasks.length) };
    const isAtStep = random() < 0.5;
    const count = 1 + Math.floor(random() * most);
    const steps = Math.floor(random() * (word === "opening" ? moments.steps * 1.3 : most * 8));
    const isKilled = isAtStep
      ? await writer.died({ ...order, death: { from: word, steps } })
      : await writer.killed(order, { word, count, delay });
    if (isKilled) counts.kills += 1;
    else processes.giveBack(writer);
    return isKilled;
  };
  // Final blocks are a few large batches.
  const most = tasks.some(({ definition }) => sinkTypeOf(definition.type).place === "files") ? 3 : 8;
  if (random() < 0.8 && (await kill("writing", most, random() * 5))) {
    for (const chance of [0.6, 0.4]) {
      if (random() >= chance) break;
      // What was begun is mended while the sink opens, or right after it.
      if (!(await kill("opening", 1, random() * moments.opening * 1.3))) return;
      counts.recoveries += 1;
    }
    if (mayLeave && random() < 0.5) return;
  }
  const last = processes.take();
  Object.assign(moments, await last.finished({ tasks, leader: 0 }));
  processes.giveBack(last);
}

/** When a process is killed: milliseconds after it has said a word some times. */
interface Moment {
  readonly word: KilledWord["kind"];
  readonly count: number;
  readonly delay: number;
}

/** A process that writes. */
class Writer {
  readonly child: ChildProcess;
  readonly #ready: Promise<unknown>;
  #hear: (word: KilledWord) => void = () => undefined;

  constructor(script: string) {
    this.child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#ready = once(this.child, "message");
    this.child.on("message", (word: KilledWord) => this.#hear(word));
  }

  /** Lets it write until the moment. @returns whether it was killed; `false` if it has ended before */
  async killed(order: KilledOrder, { word, count, delay }: Moment): Promise<boolean> {
    let isEnded = false;
    let heard = 0;
    await this.#run(order, (said, end) => {
      if (said.kind === word) heard += 1;
      if (said.kind === word && heard === count) setTimeout(end, delay);
      if (said.kind !== "ended") return;
      isEnded = true;
      end();
    });
    if (isEnded) return false;
    const exited = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exited;
    return true;
  }

  /** Lets it write until it kills itself. @returns whether it has; `false` if it has ended before */
  async died(order: KilledOrder): Promise<boolean> {
    let isEnded = false;
    const exited = once(this.child, "exit");
    await this.#run(
      order,
      ({ kind }, end) => {
        if (kind !== "ended") return;
        isEnded = true;
        end();
      },
      "SIGKILL",
    );
    if (isEnded) return false;
    await exited;
    return true;
  }

  /** Lets it write all. @returns milliseconds and steps that it took to open the sink */
  async finished(order: KilledOrder): Promise<Killing["moments"]> {
    let [opening, opened, steps] = [0, 0, 0];
    await this.#run(order, (word, end) => {
      if (word.kind === "opening") opening = performance.now();
      if (word.kind === "opened") [opened, steps] = [performance.now(), word.steps];
      if (word.kind === "ended") end();
    });
    return { opening: opened - opening, steps };
  }

  /** @param deadly the signal that it may end with */
  async #run(
    order: KilledOrder,
    hear: (word: KilledWord, end: () => void) => void,
    deadly?: NodeJS.Signals,
  ): Promise<void> {
    await this.#ready;
    await new Promise<void>((resolve, reject) => {
      const died = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (signal === deadly) resolve();
        else reject(new Error(`the process has ended with ${code ?? signal}`));
      };
      this.child.once("exit", died);
      const end = (): void => {
        this.child.off("exit", died);
        resolve();
      };
      this.#hear = (word) => {
        if (word.kind === "failed") reject(new Error(word.why));
        else hear(word, end);
      };
      this.child.send(order);
    });
    this.#hear = () => undefined;
  }
}

/** Processes that write. The next one starts while one works. */
class Processes {
  readonly #script: string;
  readonly #waiting: Writer[] = [];

  constructor(script: string) {
    this.#script = script;
  }

  take(): Writer {
    const taken = this.#waiting.shift() ?? new Writer(this.#script);
    if (this.#waiting.length === 0) this.#waiting.push(new Writer(this.#script));
    return taken;
  }

  /** Takes one back that was not killed. */
  giveBack(writer: Writer): void {
    this.#waiting.unshift(writer);
  }

  close(): void {
    for (const { child } of this.#waiting) child.kill("SIGKILL");
  }
}
