import { MessageChannel, type MessagePort } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { SharedSource, turnsOverPort } from "../../src/hosting/embedded/turns/shared-source.js";
import type { HistorySource } from "../../src/runtime/indexer/history/history-source.js";
import { type SourceTurn, type SourceTurns, takingTurns } from "../../src/runtime/sources/taking-turns.js";
import { until } from "../support/until.js";
import { realWorld } from "../support/worlds.js";

const place = { kind: "portal", url: "https://portal.example" } as const;
const patient = { timeout: () => new AbortController().signal };

interface Sharer extends SourceTurns {
  readonly port: MessagePort;
}

/** The turns of a thread of a project. */
function sharerOf(source: SharedSource, project: string): Sharer {
  const { port1, port2 } = new MessageChannel();
  const over = new AbortController();
  source.serve(project, port1);
  onTestFinished(() => {
    over.abort();
    port2.close();
  });
  return { port: port2, ...turnsOverPort(port2, over.signal) };
}

/** Takes turns with many threads of a project. @returns the turns that were given, as they come */
function crowd(source: SharedSource, project: string, count: number): (Sharer & SourceTurn)[] {
  const having: (Sharer & SourceTurn)[] = [];
  for (let index = 0; index < count; index++) {
    const sharer = sharerOf(source, project);
    void sharer.take().then(
      (turn) => turn && having.push({ ...sharer, ...turn }),
      () => undefined,
    );
  }
  return having;
}

it("A project with many deployments leaves places at a source for others.", async () => {
  const source = new SharedSource(place, patient);
  const many = crowd(source, "many", 20);
  await until(() => many.length === 6);
  const one = sharerOf(source, "one");
  const turn = await one.take();
  expect(many.length).toBe(6);
  expect(await turn?.giveBack()).toBe(true);
});

it("A thread that ends gives its turn to the next one.", async () => {
  const source = new SharedSource(place, patient);
  const many = crowd(source, "many", 7);
  await until(() => many.length === 6);
  many[0]?.port.close();
  await until(() => many.length === 7);
});

it("A thread that ends while it waits takes no turn.", async () => {
  const source = new SharedSource(place, patient);
  const many = crowd(source, "many", 6);
  await until(() => many.length === 6);
  const leaving = sharerOf(source, "many");
  void leaving.take().catch(() => undefined);
  const staying = sharerOf(source, "many");
  const taken = staying.take();
  leaving.port.close();
  await many[0]?.giveBack();
  expect(await taken).toBeDefined();
});

it("A range is read from the node if there is no turn in time, and the log says so once.", async () => {
  const source = new SharedSource(place, {
    timeout: () => realWorld.timeout(1),
  });
  const many = crowd(source, "many", 6);
  await until(() => many.length === 6);
  const late = sharerOf(source, "many");
  const notes: string[] = [];
  const history = takingTurns(playedSource(), late, (why) => notes.push(why));
  const read = () => history.blocks({ from: 1, to: 2 }, []);
  expect([await read(), await read()]).toEqual([undefined, undefined]);
  expect(notes).toEqual([
    "the source portal=https://portal.example: others are using it. Until it is free, blocks are read from the node",
  ]);
  await many[0]?.giveBack();
  expect(await read()).toEqual([]);
});

it("A process can have several turns.", async () => {
  const source = new SharedSource(place, patient);
  const sharer = sharerOf(source, "many");
  const [first, second] = await Promise.all([sharer.take(), sharer.take()]);
  const many = crowd(source, "many", 6);
  await until(() => many.length === 4);
  await first?.giveBack();
  await until(() => many.length === 5);
  await second?.giveBack();
  await until(() => many.length === 6);
});

it("Nothing is read ahead while others wait.", async () => {
  const source = new SharedSource(place, patient);
  const played = playedSource();
  const own = takingTurns(played, sharerOf(source, "many"), () => undefined);
  await own.blocks({ from: 1, to: 2 }, []);
  expect(played.forgotten).toBe(0);
  const many = crowd(source, "many", 5);
  await until(() => many.length === 5);
  const observer = sharerOf(source, "other");
  played.during = async () => {
    crowd(source, "many", 1);
    await until(async () => (await (await observer.take())?.giveBack()) === true);
  };
  await own.blocks({ from: 3, to: 4 }, []);
  expect(played.forgotten).toBe(1);
});

function playedSource(): HistorySource & {
  forgotten: number;
  during: () => Promise<void>;
} {
  const source = {
    name: "portal=https://portal.example",
    forgotten: 0,
    during: async (): Promise<void> => undefined,
    reach: async () => 10,
    blocks: async () => {
      await source.during();
      return [];
    },
    refuse: () => undefined,
    forget: () => {
      source.forgotten += 1;
    },
  };
  return source;
}
