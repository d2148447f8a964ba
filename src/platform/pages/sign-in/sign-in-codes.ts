import { randomBytes } from "node:crypto";
import type { World } from "../../../base/world.js";

/** Codes for a single sign-in, part of the address that the server prints when it starts. */
export interface SignInCodes {
  /** Creates a code that signs in with an API key. @param keyId id of the key */
  issue(keyId: string): string;
  /** The id of the API key of a code. A code works once, within 15 minutes. */
  redeem(code: string): string | undefined;
}

const lifetime = 15 * 60_000;

/** The codes of this process, kept in memory. */
export function createSignInCodes(world: Pick<World, "now">): SignInCodes {
  const issued = new Map<string, { readonly keyId: string; readonly end: number }>();
  return {
    issue(keyId) {
      const code = randomBytes(24).toString("base64url");
      issued.set(code, { keyId, end: world.now() + lifetime });
      return code;
    },
    redeem(code) {
      const found = issued.get(code);
      issued.delete(code);
      return found && found.end > world.now() ? found.keyId : undefined;
    },
  };
}
