import type { SignInCodes } from "../../platform/pages/sign-in-codes.js";
import { findOwner } from "../../platform/people/first-project.js";
import type { RunningServer } from "../../platform/serve.js";
import type { Terminal } from "../terminal/terminal.js";

/** The address of the dashboard: at a terminal, with a code that signs its user in once. */
export async function dashboardAddress(
  { address, platform }: RunningServer,
  codes: SignInCodes,
  { isTty }: Terminal,
): Promise<string> {
  const owner = isTty ? await findOwner(platform.database) : undefined;
  return owner ? `${address}/sign-in?code=${codes.issue(owner.id)}` : `${address}/`;
}
