import { holderOnHost, type LockHolder } from "../../base/lock-holder.js";
import { SinkError } from "./sink-error.js";

/**
 * Another run of a pipeline writes the same sink.
 * @param holder the process of that run, as far as the sink knows it, so that the user can end it
 * @param advice as sentences
 */
export function otherRun(
  { flow, sink }: { readonly flow: string; readonly sink: string },
  holder: LockHolder | undefined,
  advice = "Stop one of them; nothing of this one's last batch was written.",
): SinkError {
  const text = `Another run of pipeline ${flow} writes sink ${sink}${holderPart(holder)}. ${advice}`;
  return new SinkError(text, false);
}

/** The end of a sentence that names a holder; empty if the holder has not left its name. */
export function holderPart(holder: LockHolder | undefined): string {
  return holder ? `: ${holderOnHost(holder)}` : "";
}
