/** What is to be sent. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A user and a password in it become basic authorization, unless there is an `authorization` already. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: HttpBody;
  /** Whether it may be sent more than once: only what changes nothing, or the same when done twice. */
  readonly retry: boolean;
  /** What `onRequest` may show of the address; without it, protocol, host and port. */
  readonly shown?: string;
}

export type HttpBody =
  | { readonly kind: "json"; readonly value: unknown }
  | {
      readonly kind: "multipart";
      readonly parts: readonly Part[];
      /** Bytes that were handed to the network so far, and how many there are. */
      readonly onProgress?: ((sent: number, total: number) => void) | undefined;
    };

/** A field of a form. */
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

/** What came back, whatever its status is; redirects (3xx) excepted. */
export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8. */
  readonly text: string;
  /** How many times the request was sent. */
  readonly attempts: number;
  /** Milliseconds that the server asks to wait before the next attempt. */
  readonly retryAfter?: number;
}
