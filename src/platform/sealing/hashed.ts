import { createHash, randomBytes } from "node:crypto";

/** The stored hash of a key or token. These are long and random, so a fast hash is as safe as a slow one. */
export function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** 192 random bits with a prefix for their purpose: `glu_…`. */
export function randomToken(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString("base64url")}`;
}

/** A unique id: `user_…`. */
export function randomId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
