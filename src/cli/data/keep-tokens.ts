import { repeat } from "../../base/text/repeat.js";
import type { World } from "../../base/world.js";
import { ClickHouseError } from "../../pipelines/sinks/clickhouse-server.js";
import { ChainError } from "../../runtime/chain/chain.js";
import { DatabaseError } from "../../store/open.js";

/** Looks up tokens until `end` is called. */
export interface TokenKeeper {
  end(): void;
  /** Resolves after the last look-up. @throws DatabaseError, ClickHouseError */
  done(): Promise<void>;
}

/** Milliseconds between two checks for new tokens. */
const interval = 30_000;

const outages = [ChainError, DatabaseError, ClickHouseError];

/**
 * Looks up tokens now and then, and again at the end. After a failure of a node or a database, it tries again the
 * next time.
 * @param fill looks up new tokens
 * @param signal ends it without a last look-up
 */
export function keepTokens(
  fill: (until: AbortSignal) => Promise<void>,
  world: Pick<World, "timeout">,
  signal: AbortSignal,
): TokenKeeper {
  const ending = new AbortController();
  const all = AbortSignal.any([signal, ending.signal]);
  const look = async (): Promise<void> => {
    try {
      await fill(all);
    } catch (error) {
      if (!outages.some((outage) => error instanceof outage)) throw error;
    }
  };
  const repeated = repeat(interval, world, all, look);
  repeated.catch(() => undefined);
  return {
    end: () => ending.abort(),
    done: async () => {
      await repeated;
      if (signal.aborted) return;
      try {
        await fill(signal);
      } catch (error) {
        // Tables without names are better than none.
        if (!(error instanceof ChainError)) throw error;
      }
    },
  };
}
