import { availableParallelism } from "node:os";
import type { Asc } from "../compiler/asc/asc.js";
import { startAsc } from "./asc.js";

/** A compiler takes about 200 MB of memory, and a subgraph rarely has more than a few large mappings. */
const mostThreads = 4;

/**
 * Compilers in several threads that look like one: concurrent programs are compiled at the same time, as many as the
 * machine has processors. The first thread starts at once, the others when the running ones are busy.
 */
export function startAscPool(most = Math.min(availableParallelism(), mostThreads), start = startAsc): Asc {
  const first = start();
  const members = [first];
  const idle = [first];
  const waiting: ((member: Asc) => void)[] = [];

  function acquire(): Asc | Promise<Asc> {
    const free = idle.pop();
    if (free) return free;
    if (members.length >= most) return new Promise((resolve) => waiting.push(resolve));
    const member = start();
    members.push(member);
    return member;
  }

  function release(member: Asc): void {
    const next = waiting.shift();
    if (next) next(member);
    else idle.push(member);
  }

  return {
    prepare: (graphTs) => first.prepare(graphTs),
    async compile(input, options) {
      const member = await acquire();
      try {
        return await member.compile(input, options);
      } finally {
        release(member);
      }
    },
    async close() {
      await Promise.all(members.map((member) => member.close()));
      // A closed compiler rejects the programs that still waited.
      for (const resolve of waiting.splice(0)) resolve(first);
    },
  };
}
