/** What holds up all deployments of a network. */
export interface NodeTrouble {
  readonly kind: "away" | "stuck";
  /** Milliseconds since 1970. */
  readonly since: number;
  /** A sentence that names the network and the time. */
  readonly why: string;
}

/** Writes a line to the server's own log. */
export type SayLine = (level: "warn" | "info", text: string) => void;

/** Milliseconds without an answer after which a node is away: one failure is none. */
const patience = 2_000;
/** Milliseconds that a node may take to tell the head. */
const longestSilence = 10_000;
/** Heads after which a chain's pace is known, and how many are remembered. */
const enoughHeads = 10;
const mostHeads = 50;
/** A chain stands still after so many times its longest pause of late, and so many milliseconds at the least. */
const slack = 10;
const shortestStandstill = 60_000;

/** Knows whether a network's node answers and goes on, and says when that changes. */
export class NodeWatch {
  readonly #network: string;
  readonly #now: () => number;
  readonly #say: SayLine;
  #failingSince: number | undefined;
  #waitingSince: number | undefined;
  #why = "";
  #isAway = false;
  #absences = 0;
  /** What was said last. */
  #said: NodeTrouble["kind"] | undefined;
  #head: number | undefined;
  #headAt: number | undefined;
  #pauses: number[] = [];

  constructor(network: string, now: () => number, say: SayLine = () => undefined) {
    this.#network = network;
    this.#now = now;
    this.#say = say;
  }

  /** When the chain's head was seen to change last, in milliseconds since 1970. */
  get headAt(): number | undefined {
    return this.#headAt;
  }

  /** What keeps everybody waiting now. */
  get trouble(): NodeTrouble | undefined {
    return this.#away ?? this.#stuck;
  }

  /** How often the node did not answer for a while, however short. */
  get absences(): number {
    return this.#absences;
  }

  answered(): void {
    const since = this.#failingSince;
    if (since !== undefined) this.#absences += 1;
    this.#failingSince = undefined;
    this.#isAway = false;
    if (this.#said === "away" && since !== undefined) {
      this.#say("info", `The node of ${this.#network} answers again after ${secondsOf(this.#now() - since)}`);
      this.#said = undefined;
    }
  }

  /** Notes that an answer is waited for from now on; the function given back, that it is not any more. */
  waits(): () => void {
    this.#waitingSince ??= this.#now();
    return () => {
      this.#waitingSince = undefined;
    };
  }

  /** @param why without an end @param since when it was asked, in milliseconds since 1970 */
  failed(why: string, since: number): void {
    this.#failingSince ??= since;
    this.#why = why;
    this.#isAway = this.#now() - this.#failingSince >= patience;
    this.#sayTrouble();
  }

  /** A head was seen. @param isPaced whether the chain makes blocks by itself; one for development waits for transactions */
  sawHead(block: number, isPaced: boolean): void {
    const now = this.#now();
    if (block === this.#head) {
      this.#sayTrouble();
      return;
    }
    if (this.#said === "stuck" && this.#headAt !== undefined) {
      const pause = secondsOf(now - this.#headAt);
      this.#say("info", `The chain of ${this.#network} continues with block ${block} after ${pause}`);
      this.#said = undefined;
    }
    if (this.#headAt !== undefined && isPaced)
      this.#pauses = [...this.#pauses, now - this.#headAt].slice(-mostHeads);
    this.#head = block;
    this.#headAt = now;
  }

  #sayTrouble(): void {
    const { trouble } = this;
    if (!trouble || trouble.kind === this.#said) return;
    this.#said = trouble.kind;
    this.#say("warn", trouble.why);
  }

  get #away(): NodeTrouble | undefined {
    if (this.#isAway && this.#failingSince !== undefined) return this.#silent(this.#failingSince, this.#why);
    const waiting = this.#waitingSince;
    const isSilent = waiting !== undefined && this.#now() - waiting >= longestSilence;
    return isSilent ? this.#silent(waiting, "no answer in time") : undefined;
  }

  #silent(since: number, reason: string): NodeTrouble {
    const why = `No answer from the node of ${this.#network} since ${timeOf(since)}: ${reason}`;
    return { kind: "away", since, why };
  }

  get #stuck(): NodeTrouble | undefined {
    const since = this.#headAt;
    if (since === undefined || this.#pauses.length < enoughHeads) return undefined;
    const longest = Math.max(shortestStandstill, slack * Math.max(...this.#pauses));
    if (this.#now() - since < longest) return undefined;
    const why = `The node of ${this.#network} has had no new block since ${timeOf(since)}: it is still at block ${this.#head}`;
    return { kind: "stuck", since, why };
  }
}

function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function secondsOf(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
