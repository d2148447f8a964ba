import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/**
 * Encrypts a secret that must be readable later.
 * @param key 32 bytes
 * @param place the secret's owner; only the same place can decrypt it
 */
export function seal(key: Uint8Array, secret: string, place: string): Uint8Array {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** A value cannot be decrypted, because the key or the value changed. */
export class SealBroken extends Error {
  override readonly name = "SealBroken";
}

/** Decrypts a secret. @throws SealBroken */
export function unseal(key: Uint8Array, sealed: Uint8Array, place: string): string {
  try {
    const nonce = sealed.subarray(0, nonceLength);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
      .setAAD(Buffer.from(place))
      .setAuthTag(sealed.subarray(nonceLength, nonceLength + tagLength));
    const text = sealed.subarray(nonceLength + tagLength);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
  } catch (error) {
    throw new SealBroken(`the server's key cannot decrypt the value stored for ${place}`, { cause: error });
  }
}
