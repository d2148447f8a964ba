import { randomBytes } from "node:crypto";

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const plain = "0123456789abcdefghijklmnopqrstuvwxyz";

/** A new webhook id. */
export function newWebhookId(): string {
  return `webhook_c${digits(plain, 24)}`;
}

/** A new webhook secret: `whs_` and a ULID. @param now milliseconds since 1970 */
export function newWebhookSecret(now: number): string {
  let time = "";
  for (let rest = Math.floor(now), index = 0; index < 10; index++) {
    time = `${crockford[rest % 32]}${time}`;
    rest = Math.floor(rest / 32);
  }
  return `whs_${time}${digits(crockford, 16)}`;
}

/** Random digits, uniformly distributed. */
function digits(alphabet: string, count: number): string {
  const even = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < count) {
    for (const byte of randomBytes(count)) {
      if (byte < even && text.length < count) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
