import { createRequire } from "node:module";
import { diskTrouble } from "../../base/disk-trouble.js";
import { visible, visibleJson } from "../../base/text/visible.js";
import { describeMachine } from "../../machine/machine.js";
import { createTelemetryStore } from "../../machine/telemetry-settings.js";
import { isWebAddress, shownAddress } from "../../web/http/address.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { planTelemetry, telemetryVariable } from "./telemetry-plan.js";
import { usageEvent } from "./usage-event.js";

const { version } = createRequire(import.meta.url)("../../../package.json") as { readonly version: string };

/** Shows whether events are sent, and what they contain; returns the exit code. */
export async function showTelemetry(
  { output }: { readonly output?: "table" | "json" },
  terminal: Terminal,
): Promise<number> {
  const environment = terminal.env ?? {};
  const plan = planTelemetry(await createTelemetryStore(environment).read(), environment);
  const sample = usageEvent(
    { argv: ["subgraph", "list"], code: exitCodes.clean, milliseconds: 0 },
    { version, ...describeMachine(), paths: ["subgraph list"] },
  );
  if (output === "json") {
    const told = plan.isOn
      ? { enabled: true, url: shownAddress(plan.url) }
      : { enabled: false, why: plan.why };
    terminal.out(`${visibleJson(JSON.stringify({ ...told, event: sample }, null, 2))}\n`);
    return exitCodes.clean;
  }
  terminal.out(
    plan.isOn
      ? `Telemetry is on: after each command, one event goes to ${visible(shownAddress(plan.url))}.\n`
      : `Telemetry is off and nothing is sent: ${plan.why}.\n`,
  );
  terminal.out(
    `An event contains only this, here for graphloom subgraph list:\n${JSON.stringify(sample, null, 2)}\n`,
  );
  return exitCodes.clean;
}

/**
 * Enables telemetry; returns the exit code.
 * @throws UsageError without an address
 */
export async function enableTelemetry(
  { url }: { readonly url?: string | undefined },
  terminal: Terminal,
): Promise<number> {
  if (url !== undefined && !isWebAddress(url))
    throw new UsageError("--url must be a complete address, starting with http:// or https://");
  const environment = terminal.env ?? {};
  const before = await createTelemetryStore(environment).read();
  const known = url ?? before.url;
  if (known === undefined && !environment[telemetryVariable])
    throw new UsageError(
      `Specify where to send events, since no address is built in: graphloom telemetry enable --url https://…, or set ${telemetryVariable}.`,
    );
  return keep({ isEnabled: true, url: known }, terminal);
}

/** Disables telemetry, and forgets the address; returns the exit code. */
export async function disableTelemetry(_: unknown, terminal: Terminal): Promise<number> {
  return keep({ isEnabled: false }, terminal);
}

async function keep(
  settings: { readonly isEnabled: boolean; readonly url?: string | undefined },
  terminal: Terminal,
): Promise<number> {
  const store = createTelemetryStore(terminal.env ?? {});
  try {
    await store.write(settings);
  } catch (error) {
    const trouble = diskTrouble(error);
    terminal.err(
      trouble?.mayPass
        ? `${visible(store.path)} cannot be written: ${trouble.reason}. ${trouble.remedy}, then try again.\n`
        : `${visible(store.path)} cannot be written (${codeOf(error)}).\n`,
    );
    return exitCodes.diagnostics;
  }
  return showTelemetry({}, terminal);
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  // Not an error of the file system.
  throw error;
}
