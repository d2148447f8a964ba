import { randomBytes } from "node:crypto";
import { byHand, commandLine, type IssuedToken } from "../../api/account-operations.js";
import type { AccountsApi } from "../../api/accounts-api.js";
import type { World } from "../../base/world.js";
import { openLoopback } from "../../node/loopback.js";
import { openBrowser } from "../../node/open-browser.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { type Authorization, beginAuthorization, isCode, readResult } from "./authorization.js";

/** What signing in needs. */
export interface SignIn {
  /** Base address of the API. */
  readonly url: string;
  /** Its accounts, without a token. */
  readonly accounts: AccountsApi;
  readonly world: Pick<World, "timeout">;
  readonly terminal: Terminal;
}

/** A login came to nothing; the message is whole sentences. */
export class LoginError extends Error {
  override readonly name = "LoginError";
}

/** Milliseconds that somebody has to sign in. */
const patience = 300_000;

/**
 * Has somebody sign in with a browser on this machine, which brings the code back by itself.
 * @throws LoginError when they say no, or do nothing for five minutes; ApiProblem, HttpError, ApiAnswerError
 */
export async function signInWithBrowser({ url, accounts, world, terminal }: SignIn): Promise<IssuedToken> {
  let isStrangeTold = false;
  const loopback = await openLoopback((query) => {
    const result = readResult(query, authorization);
    if (!result) {
      if (!isStrangeTold) terminal.err("An answer came that is not to this login. It was not used.\n");
      isStrangeTold = true;
      return { isAwaited: false, text: "This is not the answer to the login that waits: begin it again." };
    }
    const text = "code" in result ? "graphloom goes on in the terminal." : "Nothing was allowed.";
    return { isAwaited: true, text: `${text} You can close this page.` };
  });
  const authorization = beginAuthorization(url, loopback.address, randomBytes);
  try {
    show(authorization, terminal);
    const limit = world.timeout(patience);
    const query = await loopback.wait(AbortSignal.any([terminal.signal, limit])).catch((error: unknown) => {
      if (!limit.aborted) throw error;
      throw new LoginError(
        "Nobody has signed in for five minutes: begin again. If the browser is on another machine, use graphloom login --no-browser.",
      );
    });
    const result = readResult(query, authorization);
    if (!result || "refusal" in result) {
      const why = result?.refusal === "access_denied" ? "You did not allow it" : "The server refused";
      throw new LoginError(`${why}.`);
    }
    return await exchange(accounts, authorization, result.code);
  } finally {
    loopback.close();
  }
}

/**
 * Has somebody sign in with a browser anywhere, and carry the code here.
 * @returns a key, when that is what they give instead
 * @throws UsageError at the end of input; ApiProblem, HttpError, ApiAnswerError
 */
export async function signInByHand({ url, accounts, terminal }: SignIn): Promise<IssuedToken | string> {
  const authorization = beginAuthorization(url, byHand, randomBytes);
  terminal.err(`Open this address in any browser and allow the login; then paste the code here.\n`);
  terminal.err(`\n  ${authorization.page}\n\n`);
  const answer = await terminal.ask?.(`Code, or a key of the project, for ${url}: `, { hidden: true });
  const text = answer?.trim() ?? "";
  if (text === "") throw new UsageError("No code was given: begin again with graphloom login.");
  return isCode(text) ? exchange(accounts, authorization, text) : text;
}

/** Shows the page to whoever is at this machine. */
function show({ page }: Authorization, terminal: Terminal): void {
  terminal.err(
    `Sign in with your browser. If none opens, open this address on this machine:\n\n  ${page}\n\n`,
  );
  openBrowser(page, terminal.env ?? {}).then((isOpened) => {
    if (!isOpened && !terminal.signal.aborted)
      terminal.err(
        "No browser could be opened here. With one on another machine, use graphloom login --no-browser.\n",
      );
  });
}

function exchange(
  accounts: AccountsApi,
  { verifier, redirectUri }: Authorization,
  code: string,
): Promise<IssuedToken> {
  return accounts.exchangeCode({ code, verifier, client: commandLine, redirectUri });
}
