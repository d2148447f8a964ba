import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Creates the mark that a browser gets after a sign-in, so that wrong guesses of others never lock the person out in
 * this browser. The mark grants no access: its holder may only try passwords of this one person, as often as from any
 * one network.
 */
export function markBrowser(secretKey: Uint8Array, email: string): string {
  const nonce = randomBytes(16).toString("base64url");
  return `${nonce}.${sealOf(secretKey, email, nonce)}`;
}

/**
 * The known browser behind a mark; `undefined` if another server or another person's sign-in created the
 * mark.
 */
export function knownBrowser(secretKey: Uint8Array, email: string, mark: string): string | undefined {
  const [nonce = "", seal = ""] = mark.split(".");
  const [expected, given] = [sealOf(secretKey, email, nonce), seal].map((text) => Buffer.from(text));
  const isOurs = expected?.length === given?.length && timingSafeEqual(expected ?? nothing, given ?? nothing);
  return isOurs ? nonce : undefined;
}

const nothing = Buffer.alloc(0);

function sealOf(secretKey: Uint8Array, email: string, nonce: string): string {
  return createHmac("sha256", secretKey).update(`known browser ${nonce} ${email}`).digest("base64url");
}
