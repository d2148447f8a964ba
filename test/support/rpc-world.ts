import { setTimeout as sleep } from "node:timers/promises";
import type { RpcWorld } from "../../src/runtime/chain/rpc-client.js";

/** The real network and the real clock. */
export const realWorld: RpcWorld = {
  fetch: (url, request) => fetch(url, request),
  now: () => Date.now(),
  sleep: (milliseconds) => sleep(milliseconds),
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  random: () => Math.random(),
};

/** A world with the real network in which waiting takes no time. */
export interface FastWorld extends RpcWorld {
  /** What was waited for, in milliseconds. */
  readonly waits: number[];
}

/** `time` is when it begins, in milliseconds since 1970. Timeouts go by the real clock. */
export function fastWorld(options: { time?: number; random?: number } = {}): FastWorld {
  const waits: number[] = [];
  let time = options.time ?? 1_700_000_000_000;
  return {
    ...realWorld,
    waits,
    now: () => time,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      time += milliseconds;
    },
    random: () => options.random ?? 0,
  };
}
