import { reportFailure } from "../../../base/failures.js";
import { messageOf } from "../../../base/text/message-of.js";
import { FairTurns } from "../../../base/turns/fair-turns.js";
import { guarded } from "../../../base/turns/guarded.js";
import type { Port } from "../../../base/turns/port.js";
import { answerCalls, PortCaller, type PortReply } from "../../../base/turns/port-calls.js";
import type { World } from "../../../base/world.js";
import { ChainError } from "../../../runtime/chain/chain.js";
import type { SourcePlace } from "../../../runtime/sources/create-source.js";
import type { SourceTurns } from "../../../runtime/sources/taking-turns.js";

/** Ranges that a server reads from one service at once, and those of one project among them. */
const places = { atOnce: 8, atOnceOfOne: 6 };
/** Milliseconds that a range waits for its turn. Then the node is read. */
const longestWait = 30_000;

/** The calls of a thread or a process that shares a service. */
interface TurnCalls {
  /** @returns the number of the turn */
  take(): Promise<number | undefined>;
  giveBack(turn: number): Promise<boolean>;
}

/** A service with history that the deployments and pipelines of a server share. Projects take turns. */
export class SharedSource {
  readonly place: SourcePlace;
  readonly #world: Pick<World, "timeout">;
  readonly #turns = new FairTurns(places);

  constructor(place: SourcePlace, world: Pick<World, "timeout">) {
    this.place = place;
    this.#world = world;
  }

  /** Gives turns to a thread or process of a project, until the other end of the port closes. */
  serve(project: string, port: Port): void {
    const ended = new AbortController();
    const held = new Map<number, () => void>();
    let last = 0;
    const leave = (turn: number): void => {
      held.get(turn)?.();
      held.delete(turn);
    };
    const end = (): void => {
      ended.abort();
      for (const turn of held.keys()) leave(turn);
    };
    port.on("close", guarded(end, reportFailure));
    const take = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const tooLong = this.#world.timeout(longestWait);
        const hold = (): Promise<void> =>
          new Promise((giveBack) => {
            if (ended.signal.aborted) return giveBack();
            last += 1;
            held.set(last, giveBack);
            resolve(last);
          });
        this.#turns.run(project, hold, AbortSignal.any([ended.signal, tooLong])).catch((error: unknown) => {
          if (tooLong.aborted || ended.signal.aborted) resolve(undefined);
          else reject(error);
        });
      });
    const calls: TurnCalls = {
      take,
      giveBack: async (turn) => {
        const doOthersWait = this.#turns.waiting > 0;
        leave(turn);
        return doOthersWait;
      },
    };
    const post = (reply: PortReply<string>): void => port.postMessage(reply);
    port.on("message", answerCalls<TurnCalls, string>(calls, post, messageOf));
  }
}

/** The services of networks, to share. */
export function sharedSources(
  places: ReadonlyMap<string, SourcePlace>,
  world: Pick<World, "timeout">,
): ReadonlyMap<string, SharedSource> {
  return new Map([...places].map(([network, place]) => [network, new SharedSource(place, world)]));
}

/** The turns of a thread or a process, over a port that `SharedSource` serves. @param signal ends the waiting */
export function turnsOverPort(port: Port, signal: AbortSignal): SourceTurns {
  const calls = new PortCaller<TurnCalls, string>(
    (call) => port.postMessage(call),
    (message) => new ChainError(message),
  );
  const stop = guarded(() => calls.end(new ChainError("stopped")), reportFailure);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  port.on(
    "message",
    guarded((reply: PortReply<string>) => calls.settle(reply), reportFailure),
  );
  return {
    take: async () => {
      const turn = await calls.call("take");
      return turn === undefined ? undefined : { giveBack: () => calls.call("giveBack", turn) };
    },
  };
}
