import { changeChannel } from "../../store/deployments/head.js";
import { createOutgoing, type Outgoing } from "../../web/outgoing/outgoing.js";
import type { Platform } from "../platform.js";
import { addressPolicyOf } from "./address-policy.js";
import { Collector, type Report } from "./collector.js";
import { Dispatcher } from "./dispatcher.js";
import { webhookChannel } from "./outbox.js";
import { defaultLimits, type SenderLimits } from "./sender-limits.js";

/** Sends what happens to entities to those who want to know. */
export interface WebhookSender {
  /** Goes on where the last one ended. @throws DatabaseError */
  start(): Promise<void>;
  /** Ends in order: what is being sent has a moment to arrive; what does not is sent by the next one. */
  stop(): Promise<void>;
}

/** How a sender works. */
export interface WebhookSenderOptions {
  /** Hears of what went wrong and is tried again. */
  readonly report: Report;
  readonly limits?: Partial<SenderLimits>;
  /** The way to receivers: that of the server's settings when left out. */
  readonly outgoing?: Outgoing;
}

/** A sender for all webhooks of a server; several servers with one database share the work. */
export function createWebhookSender(
  platform: Platform,
  { report, limits, outgoing = outgoingOf(platform) }: WebhookSenderOptions,
): WebhookSender {
  const allLimits = { ...defaultLimits, ...limits };
  const collector = new Collector(platform, allLimits, report);
  const dispatcher = new Dispatcher(platform, outgoing, allLimits, report);
  const ends: (() => Promise<void> | void)[] = [];
  let running: Promise<unknown> = Promise.resolve();
  return {
    async start() {
      ends.push(await platform.database.listen(changeChannel, () => collector.bell.ring()));
      ends.push(await platform.database.listen(webhookChannel, () => dispatcher.bell.ring()));
      ends.push(platform.hosting.onChange(() => collector.bell.ring()));
      running = Promise.all([collector.run(), dispatcher.run()]);
    },
    async stop() {
      collector.stop();
      dispatcher.stop();
      await running;
      outgoing.close();
      for (const end of ends.splice(0)) await end();
    },
  };
}

/** The way to addresses that users of a server give. @throws RangeError */
function outgoingOf({ settings, world }: Platform): Outgoing {
  return createOutgoing(addressPolicyOf(settings), world);
}
