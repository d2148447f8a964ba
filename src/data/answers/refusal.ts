/** Why a request is refused, as clients see it in `error.code`. */
export type RefusalCode =
  | "BAD_REQUEST"
  | "MISSING_SELECTIVE_FILTER"
  | "UNKNOWN_CHAIN"
  | "INVALID_CURSOR"
  | "UNAUTHORIZED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "REORGANISED"
  | "PRUNED"
  | "CONFLICTING_FILTERS"
  | "NO_DATA"
  | "UPSTREAM_ERROR"
  | "UNAVAILABLE"
  | "TIMEOUT";

const statuses: Readonly<Record<RefusalCode, number>> = {
  BAD_REQUEST: 400,
  MISSING_SELECTIVE_FILTER: 400,
  UNKNOWN_CHAIN: 400,
  INVALID_CURSOR: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REORGANISED: 410,
  PRUNED: 410,
  CONFLICTING_FILTERS: 422,
  NO_DATA: 502,
  UPSTREAM_ERROR: 502,
  UNAVAILABLE: 503,
  TIMEOUT: 504,
};

/** The default number of seconds after which unavailable data may be available. */
const usualWait = 60;

/** A refused request. The message is a sentence for the client only. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  /** The chains concerned, by their names in the feeds. */
  readonly chains: readonly string[] | undefined;
  /** Seconds after which another attempt may succeed. */
  readonly retryAfter: number | undefined;

  constructor(
    code: RefusalCode,
    message: string,
    options: ErrorOptions & { readonly chains?: readonly string[]; readonly retryAfter?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.chains = options.chains;
    this.retryAfter = options.retryAfter ?? (code === "UNAVAILABLE" ? usualWait : undefined);
  }

  get status(): number {
    return statuses[this.code];
  }
}
