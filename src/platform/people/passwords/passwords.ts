import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { RoundRobin } from "../../../base/turns/round-robin.js";
import { Semaphore } from "../../../base/turns/semaphore.js";
import { Problem } from "../../problem.js";

/** The owner of work that waits for its turn. */
export interface Turn {
  /** A network. Clients take turns, so that many requests of one do not delay a single request of another. */
  readonly client: string;
  /** Whether the client is known from an earlier sign-in; known clients go first. */
  readonly isKnown?: boolean;
}

/** How much work runs at once, and how much may wait. */
export interface TurnLimits {
  readonly atOnce: number;
  /** For known clients; unknown clients have the same number again. */
  readonly waiting: number;
  /** For one client. */
  readonly waitingOfOne: number;
}

/** Characters of a password. */
export const passwordLength = { least: 12, most: 1_024 } as const;

/** Memory of a hash in KB: about 64 MB, and a fifth of a second. */
const usualCost = 2 ** 16;
const shape = { blockSize: 8, parallelization: 1 } as const;
const saltBytes = 16;
const keyBytes = 32;

/** How many hashes run at once and how many wait. Each takes one of Node's four threads. */
const bounds = { atOnce: 2, waiting: 200, waitingOfOne: 10 } as const;

/** Hashes and verifies passwords. They are stored as `scrypt$65536$8$1$<salt>$<key>`, in base64url. */
export interface Passwords {
  /** @throws Problem `unavailable` when too many are already waiting */
  hash(password: string, turn: Turn): Promise<string>;
  /**
   * Whether a password matches the stored hash.
   * @param kept without it, no password matches; the answer takes equally long
   * @throws Problem `unavailable` when too many are already waiting
   */
  verify(password: string, kept: string | undefined, turn: Turn): Promise<boolean>;
}

/** Hashes passwords, a limited number at once. @param cost of new hashes: N of scrypt, a power of two */
export function createPasswords(cost = usualCost): Passwords {
  const turns = createTurns(bounds);
  // A hash to compare with if there is no account or no password.
  const nobodys = encodeHash(cost, randomBytes(saltBytes), randomBytes(keyBytes));
  return {
    async hash(password, turn) {
      const salt = randomBytes(saltBytes);
      const key = await turns.run(() => derive(password, salt, keyBytes, { cost, ...shape }), turn);
      return encodeHash(cost, salt, key);
    },
    async verify(password, kept, turn) {
      const { salt, key, options } = parse(kept ?? nobodys);
      const derived = await turns.run(() => derive(password, salt, key.length, options), turn);
      return timingSafeEqual(derived, key) && kept !== undefined;
    },
  };
}

function encodeHash(cost: number, salt: Buffer, key: Buffer): string {
  const { blockSize, parallelization } = shape;
  const bytes = [salt, key].map((each) => each.toString("base64url"));
  return ["scrypt", cost, blockSize, parallelization, ...bytes].join("$");
}

function parse(kept: string): { salt: Buffer; key: Buffer; options: ScryptOptions } {
  const [, cost, blockSize, parallelization, salt = "", key = ""] = kept.split("$");
  return {
    salt: Buffer.from(salt, "base64url"),
    key: Buffer.from(key, "base64url"),
    options: { cost: Number(cost), blockSize: Number(blockSize), parallelization: Number(parallelization) },
  };
}

/** Unicode has two forms of the same text, which must be the same password. */
function derive(password: string, salt: Buffer, bytes: number, options: ScryptOptions): Promise<Buffer> {
  const { cost = 0, blockSize = 0 } = options;
  const maxmem = 2 * 128 * cost * blockSize;
  return new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, bytes, { ...options, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}

/** Semaphore with two round-robin queues: known clients go first, and clients of one kind take turns. */
export function createTurns({ atOnce, waiting, waitingOfOne }: TurnLimits): Semaphore<Turn> {
  const known = new RoundRobin<() => void>();
  const unknown = new RoundRobin<() => void>();
  return new Semaphore<Turn>(atOnce, {
    push(begin, { client, isKnown = false }) {
      const line = isKnown ? known : unknown;
      if (line.size >= waiting || line.sizeOf(client) >= waitingOfOne) {
        throw new Problem(
          "unavailable",
          "Too many people are signing in right now. Try again in a few seconds.",
          {
            retryAfter: 5,
          },
        );
      }
      line.push(client, begin);
    },
    shift: () => known.shift() ?? unknown.shift(),
  });
}
