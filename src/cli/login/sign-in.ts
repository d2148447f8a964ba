import { randomBytes } from "node:crypto";
import { byHand, commandLine, type IssuedToken } from "../../api/account-operations.js";
import type { AccountsApi } from "../../api/accounts-api.js";
import { reportFailure } from "../../base/failures.js";
import { inBackground } from "../../base/turns/guarded.js";
import type { World } from "../../base/world.js";
import { openLoopback } from "../../machine/logins/loopback.js";
import { openBrowser } from "../../machine/logins/open-browser.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type Authorization, beginAuthorization, isCode, readResult } from "./authorization.js";

/** The dependencies of signing in. */
export interface SignIn {
  /** Base address of the API. */
  readonly url: string;
  /** The API of its accounts, without a token. */
  readonly accounts: AccountsApi;
  readonly world: Pick<World, "timeout">;
  readonly terminal: Terminal;
}

/** A login failed. The message is whole sentences. */
export class LoginError extends Error {
  override readonly name = "LoginError";
}

/** Milliseconds a person has to sign in. */
const patience = 300_000;

/**
 * Signs a person in with a browser on this machine, which delivers the code itself.
 * @throws LoginError when they deny access or do not answer for five minutes; ApiProblem, HttpError, ApiAnswerError
 */
export async function signInWithBrowser({ url, accounts, world, terminal }: SignIn): Promise<IssuedToken> {
  let isStrangeTold = false;
  const loopback = await openLoopback((query) => {
    const result = readResult(query, authorization);
    if (!result) {
      if (!isStrangeTold) terminal.err("Ignored an answer that does not belong to this login.\n");
      isStrangeTold = true;
      return {
        isAwaited: false,
        text: "This answer does not belong to the waiting login. Start the login again.",
      };
    }
    const text = "code" in result ? "Login continues in the terminal." : "Access was not granted.";
    return { isAwaited: true, text: `${text} You can close this page.` };
  });
  const authorization = beginAuthorization(url, loopback.address, randomBytes);
  try {
    show(authorization, terminal);
    const limit = world.timeout(patience);
    const query = await loopback.wait(AbortSignal.any([terminal.signal, limit])).catch((error: unknown) => {
      if (!limit.aborted) throw error;
      throw new LoginError(
        "You did not sign in within five minutes. Start again. If your browser is on a different machine, use graphloom login --no-browser.",
      );
    });
    const result = readResult(query, authorization);
    if (!result || "refusal" in result) {
      const why =
        result?.refusal === "access_denied" ? "You denied the login" : "The server refused the login";
      throw new LoginError(`${why}.`);
    }
    return await exchange(accounts, authorization, result.code);
  } finally {
    await loopback.close();
  }
}

/**
 * Signs a person in with a browser on any machine. They paste the code here.
 * @returns an API key, if they paste one instead
 * @throws UsageError at the end of input; ApiProblem, HttpError, ApiAnswerError
 */
export async function signInByHand({ url, accounts, terminal }: SignIn): Promise<IssuedToken | string> {
  const authorization = beginAuthorization(url, byHand, randomBytes);
  terminal.err(`Open this address in any browser, allow the login, then paste the code here.\n`);
  terminal.err(`\n  ${authorization.page}\n\n`);
  const answer = await terminal.ask?.(`Code or API key for ${url}: `, { hidden: true });
  const text = answer?.trim() ?? "";
  if (text === "") throw new UsageError("No code was entered. Start again: graphloom login");
  return isCode(text) ? exchange(accounts, authorization, text) : text;
}

/** Prints the page's address and opens it in a browser. */
function show({ page }: Authorization, terminal: Terminal): void {
  terminal.err(
    `Sign in with your browser. If it does not open, open this address on this machine:\n\n  ${page}\n\n`,
  );
  const opening = openBrowser(page, terminal.env ?? {}).then((isOpened) => {
    if (!isOpened && !terminal.signal.aborted)
      terminal.err(
        "Could not open a browser here. To use one on a different machine, run graphloom login --no-browser.\n",
      );
  });
  inBackground(opening, reportFailure);
}

function exchange(
  accounts: AccountsApi,
  { verifier, redirectUri }: Authorization,
  code: string,
): Promise<IssuedToken> {
  return accounts.exchangeCode({ code, verifier, client: commandLine, redirectUri });
}
