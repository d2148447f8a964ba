import { setImmediate } from "node:timers/promises";
import type { World } from "../../../src/base/world.js";
import { drawFrom } from "../pool/draw.js";
import type { PlayedPortal } from "./played-portal.js";

/** As Node.js reports a connection that the other side has closed. */
const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });

/** The network of a played Portal, and a clock on which waits take no time. */
export function playedWorld(portal: PlayedPortal): World {
  const { chance } = drawFrom(portal.options.seed + 5);
  let now = 1_700_000_000_000;
  const waiting = new Set<AbortController>();
  const stall = async (): Promise<void> => {
    // The reader begins to wait only after it has asked for more.
    await setImmediate();
    now += 30_000;
    for (const controller of waiting) controller.abort();
    waiting.clear();
  };
  return {
    fetch: async (url, request) => {
      now += portal.options.latency ?? 0;
      const path = new URL(url).pathname;
      const answer = portal.answer(request.method ?? "GET", path, String(request.body ?? ""));
      const parts = [...answer.parts];
      const body = new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          const part = parts.shift();
          now += 1;
          if (part) controller.enqueue(part);
          else if (answer.end === "whole") controller.close();
          else if (answer.end === "cut") controller.error(new TypeError("terminated", { cause }));
          else await stall();
        },
      });
      const isEmpty = answer.status === 204;
      return new Response(isEmpty ? null : body, { status: answer.status, headers: answer.headers });
    },
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
    timeout: () => {
      const controller = new AbortController();
      waiting.add(controller);
      return controller.signal;
    },
    random: chance,
  };
}
