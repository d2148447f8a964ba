import { describeMachine } from "../../node/machine.js";
import { createTelemetryStore } from "../../node/telemetry-settings.js";
import { planTelemetry } from "./telemetry-plan.js";
import { type Ended, usageEvent } from "./usage-event.js";

/** Milliseconds that a command may end later for it. */
const patience = 500;

/**
 * Tells of a command that has ended, if the user wants that. A command neither fails nor says anything because of it.
 * @param commands the version of the program, and the paths of its commands
 */
export async function reportRun(
  ended: Ended,
  commands: { readonly version: string; readonly paths: readonly string[] },
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  // Who looks what is sent, or ends it, is not to be told of.
  if (ended.argv[0] === "telemetry") return;
  const plan = planTelemetry(await createTelemetryStore(environment).read(), environment);
  if (!plan.isOn) return;
  const { postOnce } = await import("../../node/post-once.js");
  const event = usageEvent(ended, { ...commands, ...describeMachine() });
  await postOnce(plan.url, JSON.stringify(event), patience);
}
