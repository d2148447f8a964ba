/** How much a sender does at a time, and how long it waits. Times are in milliseconds. */
export interface SenderLimits {
  /** Attempts at the same time, of all webhooks. */
  readonly mostAtOnce: number;
  /** Attempts at the same time of one webhook. */
  readonly mostOfWebhook: number;
  /** Attempts of one webhook beside those, which hang while its receiver answers others; of all, four times as many. */
  readonly mostHanging: number;
  /** How long an attempt takes that hangs. */
  readonly slow: number;
  /** Events of a webhook that wait; what comes after them stays in the log of its deployment meanwhile. */
  readonly mostPending: number;
  /** Changes that are read at a time. */
  readonly batch: number;
  /** A receiver is down after so many attempts that failed one after the other, and nothing it took since they began. */
  readonly downAfter: number;
  /** Bytes of an answer's body that are read, and thrown away. */
  readonly mostBytes: number;
  /** How long a second of a webhook's own settings takes. */
  readonly second: number;
  /** The longest wait for another attempt of an event. */
  readonly longestWait: number;
  /** The longest rest of a receiver that is down. */
  readonly longestRest: number;
  /** How long nobody else takes an event when its sender says nothing after the attempt's time is over. */
  readonly grace: number;
  /** How long nobody else reads what there is for a webhook, after the last word of who does. */
  readonly hold: number;
  /** How long attempts that go on may take to end, once it is to stop. */
  readonly drain: number;
  /** When it looks for work, although nobody has told it of any. */
  readonly poll: number;
}

export const defaultLimits: SenderLimits = {
  mostAtOnce: 64,
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
