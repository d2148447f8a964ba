import { createHmac, timingSafeEqual } from "node:crypto";

/** Makes tokens for clients to send back, and recognizes its own. */
export interface Sealer {
  /** Returns a token with the value, which clients can read but not change. */
  seal(value: unknown): string;
  /** The value of a token; `undefined` for a foreign token. */
  open(token: string): unknown;
}

const signatureBytes = 16;
/** The longest token to examine. */
const longest = 16_384;

/**
 * Signs tokens by HMAC-SHA-256.
 * @param secret processes with the same secret recognise each other's tokens
 */
export function createSealer(secret: string): Sealer {
  const sign = (text: string): Buffer =>
    createHmac("sha256", `cursor ${secret}`).update(text).digest().subarray(0, signatureBytes);
  return {
    seal(value) {
      const text = Buffer.from(JSON.stringify(value)).toString("base64url");
      return `${text}.${sign(text).toString("base64url")}`;
    },
    open(token) {
      if (token.length > longest) return undefined;
      const [text = "", signature = "", ...more] = token.split(".");
      const given = Buffer.from(signature, "base64url");
      if (more.length > 0 || given.length !== signatureBytes || !timingSafeEqual(given, sign(text)))
        return undefined;
      return JSON.parse(Buffer.from(text, "base64url").toString()) as unknown;
    },
  };
}
