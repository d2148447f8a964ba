import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * What a browser is given once somebody has signed in with it, so that guesses of others never keep them out there. It
 * opens nothing: whoever has it may try passwords of this one person, as often as anybody may from one place.
 */
export function markBrowser(secretKey: Uint8Array, email: string): string {
  const nonce = randomBytes(16).toString("base64url");
  return `${nonce}.${sealOf(secretKey, email, nonce)}`;
}

/** Which browser somebody has signed in with before; nothing for a mark that is not of this server, or for another person. */
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
