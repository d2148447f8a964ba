import type { Engine } from "../../src/hosting/engine.js";

/**
 * An engine that records its calls and indexes nothing.
 * @param name its name, and the only network that it indexes
 * @param calls receives each call, for example `start Qm…`
 * @param work the work that starting, pausing and removing wait for
 */
export function askedEngine(name: string, calls: string[], work: () => Promise<void>): Engine {
  const done = (what: string) => async (asked: string | { readonly deployment: string }) => {
    calls.push(`${what} ${typeof asked === "string" ? asked : asked.deployment}`);
    await work();
  };
  return {
    name,
    networks: [name],
    check: async () => undefined,
    start: done("start"),
    pause: done("pause"),
    remove: done("remove"),
    status: async () => new Map(),
    logs: async () => ({ lines: [] }),
    answer: async () => ({ status: 200, body: "{}", headers: {} }),
    storage: async () => undefined,
    onChange: () => () => undefined,
    close: async () => undefined,
  };
}
