import { changeChannel } from "../../store/deployments/head.js";
import { createOutgoing, type Outgoing } from "../../web/outgoing/outgoing.js";
import { refusalLog } from "../../web/outgoing/refusal-log.js";
import type { Platform } from "../platform.js";
import { addressPolicyOf } from "./address-policy.js";
import { Collector, type Report } from "./collector.js";
import { Dispatcher } from "./dispatcher.js";
import { webhookChannel } from "./outbox.js";
import { defaultLimits, type SenderLimits } from "./sender-limits.js";

/** Sends the changes of entities to the receivers of webhooks. */
export interface WebhookSender {
  /** Continues where the previous sender stopped. @throws DatabaseError */
  start(): Promise<void>;
  /** Stops gracefully: running attempts get a moment to finish, and the next sender sends the rest. */
  stop(): Promise<void>;
}

export interface WebhookSenderOptions {
  /** Receives failures that are retried. */
  readonly report: Report;
  readonly limits?: Partial<SenderLimits>;
  /** How to reach receivers; by default, according to the server's settings. */
  readonly outgoing?: Outgoing;
}

/** A sender for all webhooks of a server. Several servers with one database share the work. */
export function createWebhookSender(
  platform: Platform,
  { report, limits, outgoing = outgoingOf(platform, report) }: WebhookSenderOptions,
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

/**
 * Sends requests to addresses that users of a server enter.
 * @throws RangeError
 */
function outgoingOf({ settings, world }: Platform, report: Report): Outgoing {
  const onRefused = refusalLog(
    (place, why) => report(`A webhook may not connect to ${place}`, new Error(why)),
    () => world.now(),
  );
  return createOutgoing({ ...addressPolicyOf(settings), onRefused }, world);
}
