/** A request to send. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * A user and a password in it are sent as basic authentication, unless there is an `authorization` header
   * already.
   */
  readonly url: string;
  /** By name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: HttpBody;
  /** Whether it may be retried: only when it changes nothing or is idempotent. */
  readonly retry: boolean;
  /** The part of the address that `onRequest` may show; by default, protocol, host and port. */
  readonly shown?: string;
}

export type HttpBody =
  | { readonly kind: "json"; readonly value: unknown }
  /** Text that is sent as JSON without being checked. */
  | { readonly kind: "json-text"; readonly text: string }
  | { readonly kind: "bytes"; readonly media: string; readonly bytes: Uint8Array }
  | {
      readonly kind: "multipart";
      readonly parts: readonly Part[];
      /** Called with the number of bytes sent so far and their total. */
      readonly onProgress?: ((sent: number, total: number) => void) | undefined;
    };

/** A field of a multipart form. */
export type Part = TextPart | FilePart;

export interface TextPart {
  readonly name: string;
  readonly value: string;
}

export interface FilePart {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A response of any status but a redirect (3xx). */
export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The body, decoded as UTF-8. */
  readonly text: string;
  /** Number of attempts made. */
  readonly attempts: number;
  /** Milliseconds of the `Retry-After` header. */
  readonly retryAfter?: number;
}
