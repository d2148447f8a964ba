import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { HandlerTurn } from "../../src/hosting/embedded/turns/handler-turn.js";
import { HandlerTurns } from "../../src/hosting/embedded/turns/handler-turns.js";
import { world } from "../support/database/databases.js";

const turnsOf = (atOnce: number): HandlerTurns => new HandlerTurns(atOnce, world);

/** A thread of a project, which shares the turns as a worker does. */
class Thread {
  readonly turn: HandlerTurn;
  readonly #seat: ReturnType<HandlerTurns["join"]>;
  /** Messages to the turns. */
  sent = 0;
  /** Turns in which it ran a handler. */
  ran = 0;
  #isOver = false;

  constructor(turns: HandlerTurns, project: string) {
    this.#seat = turns.join(project, () => this.turn.given());
    this.turn = new HandlerTurn(this.#seat.memory, (isOver) => {
      this.sent += 1;
      return isOver ? this.#seat.over() : this.#seat.ask();
    });
    onTestFinished(() => this.leave());
  }

  /** Runs a handler, and waits for its turn if it has to. */
  async handle(work: () => Promise<unknown> = setImmediate): Promise<void> {
    const waiting = this.turn.begin();
    if (waiting) await waiting;
    try {
      await work();
      this.ran += 1;
    } finally {
      this.turn.end();
    }
  }

  /** Runs handlers without a pause until the thread leaves. */
  async hammer(): Promise<void> {
    while (!this.#isOver) await this.handle();
  }

  leave(): void {
    this.#isOver = true;
    this.turn.given();
    this.#seat.leave();
  }
}

/** A handler that runs until it is told to end. */
function endless(): { readonly work: () => Promise<void>; end(): void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

it("a project runs a handler at once while many threads of another project run endless handlers", async () => {
  const turns = turnsOf(2);
  const running = endless();
  const hostile = Array.from({ length: 200 }, () => new Thread(turns, "hostile"));
  const all = hostile.map((thread) => thread.handle(running.work));
  const one = new Thread(turns, "one");
  await one.handle();
  await one.handle();
  expect(one.ran).toBe(2);
  running.end();
  await Promise.all(all);
  expect(hostile.every(({ ran }) => ran === 1)).toBe(true);
});

it("an endless handler shares its processor with other handlers, but with only one at a time", async () => {
  const turns = turnsOf(1);
  const running = endless();
  const stuck = new Thread(turns, "one").handle(running.work);
  const beside = Array.from({ length: 3 }, () => new Thread(turns, "one"));
  let most = 0;
  let now = 0;
  const count = async (): Promise<void> => {
    now += 1;
    most = Math.max(most, now);
    await setImmediate();
    now -= 1;
  };
  for (let round = 0; round < 3; round++) await Promise.all(beside.map((thread) => thread.handle(count)));
  expect(beside.map(({ ran }) => ran)).toEqual([3, 3, 3]);
  expect(most).toBe(1);
  running.end();
  await stuck;
});

it("at most as many handlers of one project run as there are processors", async () => {
  const turns = turnsOf(3);
  let most = 0;
  let now = 0;
  const count = async (): Promise<void> => {
    now += 1;
    most = Math.max(most, now);
    await sleep(1);
    now -= 1;
  };
  const threads = Array.from({ length: 20 }, () => new Thread(turns, "one"));
  for (let round = 0; round < 3; round++) await Promise.all(threads.map((thread) => thread.handle(count)));
  expect(most).toBe(3);
});

it("threads that run handlers without a pause take turns, by project and then by thread", async () => {
  const turns = turnsOf(1);
  const many = Array.from({ length: 6 }, () => new Thread(turns, "many"));
  const one = new Thread(turns, "one");
  const other = new Thread(turns, "other");
  const all = [...many, one, other];
  const hammering = all.map((thread) => thread.hammer());
  while (!all.every(({ ran }) => ran > 50)) await setImmediate();
  for (const thread of all) thread.leave();
  await Promise.all(hammering);
});

it("a thread that waits for a node leaves its turn to others, and asks for it again", async () => {
  const turns = turnsOf(1);
  const [idle, busy] = [new Thread(turns, "one"), new Thread(turns, "one")];
  await idle.handle();
  await busy.handle();
  await idle.handle();
  expect([idle.ran, busy.ran]).toEqual([2, 1]);
});

it("a thread keeps its turn without a message while no other thread waits", async () => {
  const thread = new Thread(turnsOf(1), "one");
  for (let round = 0; round < 1_000; round++) await thread.handle();
  expect(thread.sent).toBe(1);
});

it("a thread that ends within a handler leaves its turn to another", async () => {
  const turns = turnsOf(1);
  const [ended, next] = [new Thread(turns, "one"), new Thread(turns, "one")];
  const running = endless();
  const never = ended.handle(running.work);
  const waiting = next.handle();
  ended.leave();
  await waiting;
  running.end();
  await never;
  await next.handle();
  expect(next.ran).toBe(2);
});
