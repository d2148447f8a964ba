import { describeMachine } from "../../machine/machine.js";
import { createTelemetryStore } from "../../machine/telemetry-settings.js";
import { planTelemetry } from "./telemetry-plan.js";
import { type Ended, usageEvent } from "./usage-event.js";

/** Milliseconds by which a report may delay the end of a command. */
const patience = 500;

/**
 * Reports a command that has ended, if the user has enabled telemetry. A failed report stays silent.
 * @param commands the version of the program, and the paths of its commands
 */
export async function reportRun(
  ended: Ended,
  commands: { readonly version: string; readonly paths: readonly string[] },
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  // Commands that show or disable telemetry are not reported.
  if (ended.argv[0] === "telemetry") return;
  const plan = planTelemetry(await createTelemetryStore(environment).read(), environment);
  if (!plan.isOn) return;
  const { postOnce } = await import("../../machine/post-once.js");
  const event = usageEvent(ended, { ...commands, ...describeMachine() });
  await postOnce(plan.url, JSON.stringify(event), patience);
}
