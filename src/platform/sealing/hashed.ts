import { createHash, randomBytes } from "node:crypto";

/** The hash that a key or a token is kept as. They are long and random: a fast hash is as good as a slow one. */
export function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** 192 random bits that say what they are for: `glu_…`. */
export function randomToken(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString("base64url")}`;
}

/** An id that nothing else has: `user_…`. */
export function randomId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
