import { remotely } from "../remote/remotely.js";
import type { RemoteArguments } from "../remote/session.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Argv } from "../terminal/yargs.js";
import type { LoginArguments } from "./login.js";

/** Adds `login` and `logout` to the commands. */
export function addLogin(program: Argv, terminal: Terminal, done: (code: number) => void): Argv {
  return program
    .command(
      "login",
      "Store a token for the management API, readable only by you",
      (command) =>
        command
          .option("browser", {
            type: "boolean",
            describe: "sign in with a browser: not built yet, so the token is pasted or piped in",
          })
          .example("$0 login --api-url https://api.example.com/api/v1", "asks for the token")
          .example("$0 login --no-browser < token.txt", "takes it from a file"),
      (args) =>
        remotely(terminal, done, async () => {
          const { login } = await import("./login.js");
          return () => login(args as typeof args & LoginArguments, terminal);
        }),
    )
    .command(
      "logout",
      "Forget the stored token",
      (command) => command.example("$0 logout", "of the API last logged in to"),
      (args) =>
        remotely(terminal, done, async () => {
          const { logout } = await import("./login.js");
          return () => logout(args as typeof args & RemoteArguments, terminal);
        }),
    );
}
