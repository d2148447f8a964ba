import { ApiProblem } from "../../api/answers/problem.js";
import type { World } from "../../base/world.js";
import { DumpCutError } from "../../dumps/dump-error.js";
import { HttpError } from "../../web/http/http-error.js";
import { isTransient, retryWait } from "../../web/http/retry-wait.js";

/** How often in a row the server may fail before the command gives up. */
const mostFailures = 6;

/**
 * Waits before another attempt at a request, if its failure may pass.
 * @param say tells why, and for how long
 * @returns a function of the failure and of how many there were in a row. It returns whether to try again
 */
export function patient(
  world: Pick<World, "random" | "sleep">,
  say: (text: string) => void,
): (error: unknown, failures: number) => Promise<boolean> {
  return async (error, failures) => {
    const asked = error instanceof ApiProblem ? error.retryAfter : undefined;
    const wait =
      failures < mostFailures && mayPass(error) ? retryWait(failures, world.random(), asked) : undefined;
    if (wait === undefined) return false;
    say(`continuing in ${(wait / 1000).toFixed(1)} s: ${(error as Error).message}`);
    await world.sleep(wait);
    return true;
  };
}

function mayPass(error: unknown): boolean {
  if (error instanceof ApiProblem) return isTransient(error.status);
  if (error instanceof DumpCutError) return true;
  return error instanceof HttpError && ["unreachable", "timeout", "cut"].includes(error.kind);
}
