/** Concurrency limits and waiting times of a sender. Times are in milliseconds. */
export interface SenderLimits {
  /** Concurrent attempts of all webhooks. */
  readonly mostAtOnce: number;
  /** Concurrent attempts of all webhooks of one project. */
  readonly mostOfProject: number;
  /** Concurrent attempts of one webhook. */
  readonly mostOfWebhook: number;
  /** Additional attempts of one webhook that hang while its receiver answers others; for all webhooks, four times this. */
  readonly mostHanging: number;
  /** The duration from which an attempt counts as hanging. */
  readonly slow: number;
  /** Pending events of a webhook; later changes stay in the log of the deployment until there is room. */
  readonly mostPending: number;
  /** Changes read at a time. */
  readonly batch: number;
  /** A receiver is down after this many failures in a row, if it took no event since those attempts began. */
  readonly downAfter: number;
  /** The most bytes of an answer's body to read. They are discarded. */
  readonly mostBytes: number;
  /** The length of a second in a webhook's settings; tests shorten it. */
  readonly second: number;
  /** The longest wait before the next attempt of an event. */
  readonly longestWait: number;
  /** The longest pause between attempts while a receiver is down. */
  readonly longestRest: number;
  /** How long a claim outlasts the timeout of its attempt before other senders may claim the event. */
  readonly grace: number;
  /** How long the right to start a webhook lasts after its holder last extended it. */
  readonly hold: number;
  /** How long running attempts may take to finish when the sender stops. */
  readonly drain: number;
  /** The interval for checking for work without a notification. */
  readonly poll: number;
}

export const defaultLimits: SenderLimits = {
  mostAtOnce: 64,
  mostOfProject: 32,
  mostOfWebhook: 16,
  mostHanging: 128,
  slow: 2_000,
  mostPending: 2_000,
  batch: 500,
  downAfter: 10,
  mostBytes: 16 * 1024,
  second: 1_000,
  longestWait: 3_600_000,
  longestRest: 600_000,
  grace: 10_000,
  hold: 30_000,
  drain: 3_000,
  poll: 1_000,
};
