import { availableParallelism } from "node:os";
import type { Asc, AscInput } from "../../compiler/asc/asc.js";
import { startAsc } from "./asc.js";

/** A compiler takes about 200 MB of memory, and a subgraph rarely has more than a few large mappings. */
const mostThreads = 4;

/**
 * Number of waiting programs at which another thread starts, unless they are fully optimized. Loading a compiler and
 * parsing the libraries takes as much CPU time as compiling three programs.
 */
const worthThread = 3;

/**
 * Compilers in several threads, used as one: programs are compiled concurrently, on as many threads as the machine
 * has processors. The first thread starts at once; others start when all are busy and the work is worth it.
 */
export function startAscPool(most = Math.min(availableParallelism(), mostThreads), start = startAsc): Asc {
  const first = start();
  const members = [first];
  const idle = [first];
  const waiting: ((member: Asc) => void)[] = [];

  function acquire({ mode }: AscInput): Asc | Promise<Asc> {
    const free = idle.pop();
    if (free) return free;
    const isWorth = mode === "full" || waiting.length >= worthThread;
    const turn = new Promise<Asc>((resolve) => waiting.push(resolve));
    if (isWorth && members.length < most) {
      const member = start();
      members.push(member);
      release(member);
    }
    return turn;
  }

  function release(member: Asc): void {
    const next = waiting.shift();
    if (next) next(member);
    else idle.push(member);
  }

  return {
    prepare: (graphTs) => first.prepare(graphTs),
    async compile(input, options) {
      const member = await acquire(input);
      try {
        return await member.compile(input, options);
      } finally {
        release(member);
      }
    },
    async close() {
      await Promise.all(members.map((member) => member.close()));
      // A closed compiler rejects the programs that are still waiting.
      for (const resolve of waiting.splice(0)) resolve(first);
    },
  };
}
