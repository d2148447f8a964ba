/** A problem that holds up all deployments of a network. */
export interface NodeTrouble {
  readonly kind: "away" | "stuck" | "other-chain";
  /** Milliseconds since 1970. */
  readonly since: number;
  /** A sentence that names the network and the time. */
  readonly why: string;
}

/** Writes a line to the server's own log. */
export type SayLine = (level: "warn" | "info", text: string) => void;

/** Milliseconds without an answer after which a node is away. A single failure does not count. */
const patience = 2_000;
/** Milliseconds within which a node must report the head. */
const longestSilence = 10_000;
/** The number of heads after which a chain's pace is known, and the number to remember. */
const enoughHeads = 10;
const mostHeads = 50;
/** A chain counts as stuck after this multiple of its longest recent pause, but at least this many milliseconds. */
const slack = 10;
const shortestStandstill = 60_000;

/** Tracks whether a network's nodes answer and advance, and logs changes. */
export class NodeWatch {
  readonly #network: string;
  readonly #now: () => number;
  readonly #say: SayLine;
  readonly #strange: () => Omit<NodeTrouble, "kind"> | undefined;
  #failingSince: number | undefined;
  #waitingSince: number | undefined;
  #why = "";
  #isAway = false;
  #absences = 0;
  /** The last logged problem. */
  #said: NodeTrouble["kind"] | undefined;
  #head: number | undefined;
  #headAt: number | undefined;
  #headTime: number | undefined;
  #pauses: number[] = [];

  /** @param strange since when all nodes belong to another chain, and why they are not used */
  constructor(
    network: string,
    now: () => number,
    say: SayLine = () => undefined,
    strange: () => Omit<NodeTrouble, "kind"> | undefined = () => undefined,
  ) {
    this.#network = network;
    this.#now = now;
    this.#say = say;
    this.#strange = strange;
  }

  /** When the chain's head last changed, in milliseconds since 1970. */
  get headAt(): number | undefined {
    return this.#headAt;
  }

  /** The time of the chain's head by the chain's own clock, in milliseconds since 1970. */
  get headTime(): number | undefined {
    return this.#headTime;
  }

  /** The current problem that holds up all callers. */
  get trouble(): NodeTrouble | undefined {
    const strange = this.#strange();
    return strange ? { kind: "other-chain", ...strange } : this.#own;
  }

  get #own(): NodeTrouble | undefined {
    return this.#away ?? this.#stuck;
  }

  /** How often the nodes stopped answering, however briefly. */
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

  /** Records that a request is pending, until the returned function is called. */
  waits(): () => void {
    this.#waitingSince ??= this.#now();
    return () => {
      this.#waitingSince = undefined;
    };
  }

  /**
   * @param why without a final period
   * @param since when it was asked, in milliseconds since 1970
   */
  failed(why: string, since: number): void {
    this.#failingSince ??= since;
    this.#why = why;
    this.#isAway = this.#now() - this.#failingSince >= patience;
    this.#sayTrouble();
  }

  /**
   * Records a head.
   * @param isPaced whether the chain produces blocks regularly; a development chain waits for transactions
   * @param time of the block, in milliseconds since 1970
   */
  sawHead(block: number, isPaced: boolean, time?: number): void {
    const now = this.#now();
    this.#headTime = time;
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
    const trouble = this.#own;
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
