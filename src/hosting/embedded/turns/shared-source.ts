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

/** The calls of a thread that shares a service. */
interface TurnCalls extends SourceTurns {
  take(): Promise<boolean>;
  giveBack(): Promise<boolean>;
}

/** A service with history that the deployments of a server share. Projects take turns. */
export class SharedSource {
  readonly place: SourcePlace;
  readonly #world: Pick<World, "timeout">;
  readonly #turns = new FairTurns(places);

  constructor(place: SourcePlace, world: Pick<World, "timeout">) {
    this.place = place;
    this.#world = world;
  }

  /** Gives turns to a thread of a project, until the other end of the port closes. */
  serve(project: string, port: Port): void {
    const ended = new AbortController();
    let leave: (() => void) | undefined;
    const giveBack = (): void => {
      leave?.();
      leave = undefined;
    };
    port.on(
      "close",
      guarded(() => {
        ended.abort();
        giveBack();
      }, reportFailure),
    );
    const take = (): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const tooLong = this.#world.timeout(longestWait);
        const hold = (): Promise<void> =>
          new Promise((end) => {
            leave = end;
            if (ended.signal.aborted) giveBack();
            resolve(true);
          });
        this.#turns.run(project, hold, AbortSignal.any([ended.signal, tooLong])).catch((error: unknown) => {
          if (tooLong.aborted || ended.signal.aborted) resolve(false);
          else reject(error);
        });
      });
    const calls: TurnCalls = {
      take,
      giveBack: async () => {
        const doOthersWait = this.#turns.waiting > 0;
        giveBack();
        return doOthersWait;
      },
    };
    const post = (reply: PortReply<string>): void => port.postMessage(reply);
    port.on("message", answerCalls<TurnCalls, string>(calls, post, messageOf));
  }
}

/** The turns of a thread, over a port that `SharedSource` serves. @param signal ends the waiting */
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
    take: () => calls.call("take"),
    giveBack: () => calls.call("giveBack"),
  };
}
