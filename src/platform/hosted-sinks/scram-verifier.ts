import { createHash, createHmac, pbkdf2Sync } from "node:crypto";

const iterations = 4096;

/**
 * What PostgreSQL stores of a password (SCRAM-SHA-256, RFC 5803). A statement with it may appear in the server's log,
 * since nobody can sign in with it.
 * @param password ASCII only, which needs no preparation
 * @param salt random bytes
 */
export function scramVerifier(password: string, salt: Uint8Array): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const keyed = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(keyed("Client Key")).digest("base64");
  const encodedSalt = Buffer.from(salt).toString("base64");
  return `SCRAM-SHA-256$${iterations}:${encodedSalt}$${storedKey}:${keyed("Server Key").toString("base64")}`;
}
