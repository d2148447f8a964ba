import { certificateAdvice, certificateFaultOf } from "../../base/certificate-fault.js";
import type { ServerTls } from "../../base/server-tls.js";
import { foreignText } from "../../base/text/foreign-text.js";
import { parseAddress, redact } from "../../web/http/address.js";
import { parseRetryAfter } from "../../web/http/retry-after.js";
import type { Outgoing } from "../../web/outgoing/outgoing.js";
import { OutgoingError } from "../../web/outgoing/outgoing-error.js";
import type { SecretHeader } from "./http-auth.js";
import { secretTrust } from "./secret-trust.js";

/** A request, mostly with a body. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret?: SecretHeader | undefined;
  /** Other texts that messages must not repeat. */
  readonly secrets?: readonly string[];
  /** Absent to get what is there. */
  readonly body?: string;
  /** How to check the server's certificate; fully by default. */
  readonly tls?: ServerTls | undefined;
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  /** Most bytes of an answer. */
  readonly mostBytes: number;
  /** How to treat a longer answer: return its beginning, or fail. */
  readonly excess: "cut" | "refuse";
}

/** The outcome of a request. */
export type Reply =
  | { readonly kind: "accepted"; readonly body: Uint8Array }
  | {
      readonly kind: "failed";
      /** `undefined` if there was no answer. */
      readonly status: number | undefined;
      /** Its beginning. */
      readonly body: string;
      /** As the rest of a sentence that begins with the server. */
      readonly why: string;
      /** Whether the same request may succeed later. */
      readonly isTemporary: boolean;
      /** Milliseconds that the server asks to wait. */
      readonly retryAfter: number | undefined;
    };

/** Statuses that do not depend on the request's content. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Failures that repeating the request does not change. */
const lasting: ReadonlySet<OutgoingError["kind"]> = new Set(["bad-address", "refused-address", "too-long"]);

/**
 * Posts a body to a user's server, once. Redirects are not followed.
 * @param now milliseconds since the Unix epoch
 */
export async function post(
  request: Post,
  outgoing: Pick<Outgoing, "send">,
  now: () => number,
): Promise<Reply> {
  const { url, headers, secret, body, tls, timeout, mostBytes, excess } = request;
  const own = secret ? [secret.value] : [];
  const secrets = [...(parseAddress(url)?.secrets ?? []), ...own, ...(request.secrets ?? [])];
  try {
    const answer = await outgoing.send({
      url,
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body !== undefined && { body }),
      tls,
      timeout,
      mostBytes,
      excess,
      ...(secret && { secretHeaders: { [secret.name]: secret.value } }),
    });
    const { status } = answer;
    if (status >= 200 && status <= 299) return { kind: "accepted", body: answer.body };
    // A server may repeat what it received.
    const text = Buffer.from(answer.body).toString();
    const words = foreignText(redact(text, secrets));
    const place = status >= 300 && status <= 399 ? `, which leads to another address` : "";
    return {
      kind: "failed",
      status,
      body: text,
      why: `answered with status ${status}${place}${words === "" ? "" : `: ${words}`}`,
      isTemporary: status >= 500 || passing.has(status),
      retryAfter: parseRetryAfter(answer.headers["retry-after"] ?? null, now()),
    };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    const fault = tls && certificateFaultOf(error);
    if (fault) {
      const advice = certificateAdvice(fault, secretTrust);
      const untrusted = `gave no answer: its certificate ${fault.words}. ${advice.replace(/\.$/, "")}`;
      return {
        kind: "failed",
        status: undefined,
        body: "",
        why: untrusted,
        isTemporary: false,
        retryAfter: undefined,
      };
    }
    const isTemporary = !lasting.has(error.kind);
    const why = `gave no answer: ${foreignText(redact(error.message, secrets))}`;
    return { kind: "failed", status: undefined, body: "", why, isTemporary, retryAfter: undefined };
  }
}
