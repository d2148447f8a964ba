import type { TelemetrySettings } from "../../machine/telemetry-settings.js";
import { isWebAddress } from "../../web/http/address.js";

/** Whether events are sent: where to, or why not. */
export type TelemetryPlan =
  | { readonly isOn: true; readonly url: string }
  | { readonly isOn: false; readonly why: string };

/** The environment variable with the address for events. */
export const telemetryVariable = "GRAPHLOOM_TELEMETRY_URL";

/** Decides by the user's settings. Nothing is sent without an address, and DO_NOT_TRACK overrides all settings. */
export function planTelemetry(
  { isEnabled, url }: TelemetrySettings,
  environment: Readonly<Record<string, string | undefined>>,
): TelemetryPlan {
  const refusal = environment.DO_NOT_TRACK ?? "";
  if (refusal !== "" && refusal !== "0") return { isOn: false, why: "DO_NOT_TRACK is set" };
  if (!isEnabled) return { isOn: false, why: "it is not enabled" };
  const address = environment[telemetryVariable] || url;
  if (address === undefined) {
    const why = `it is enabled, but has no address to send to: graphloom telemetry enable --url <address>, or set ${telemetryVariable}`;
    return { isOn: false, why };
  }
  if (!isWebAddress(address)) {
    const from = environment[telemetryVariable] ? telemetryVariable : "the stored address";
    return { isOn: false, why: `${from} does not start with http:// or https://` };
  }
  return { isOn: true, url: address };
}
