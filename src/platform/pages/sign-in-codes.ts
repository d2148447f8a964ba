import { randomBytes } from "node:crypto";
import type { World } from "../../base/world.js";

/** Codes that sign somebody in once, for the address that is printed when a server starts. */
export interface SignInCodes {
  /** A code for who holds a key. @param keyId id of the key */
  issue(keyId: string): string;
  /** The id of the key whose holder a code signs in. A code works once, within some minutes. */
  redeem(code: string): string | undefined;
}

const lifetime = 15 * 60_000;

/** Codes of one process, kept in memory. */
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
