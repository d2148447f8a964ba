import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";

export const loginCommand = command({
  name: "login",
  describe: "Sign in, and store a management API token that only you can read",
  options: {
    browser: {
      type: "boolean",
      default: true,
      describe: "open a browser to sign in; --no-browser prints the address and asks for a code",
    },
  },
  examples: [
    ["$0 login --api-url https://graphloom.example.com/api/v1", "opens the browser"],
    ["$0 login --no-browser", "with a browser on another machine"],
    ["$0 login < key.txt", "reads an API key from a file"],
  ],
  epilogue:
    "You can be logged in to several servers. Commands use the last login, or the one for --api-url. " +
    "If a server does not support signing in, paste an API key of the project.",
  load: remotely(async () => (await import("./login.js")).login),
});

export const logoutCommand = command({
  name: "logout",
  describe: "Delete the stored token, and revoke it",
  examples: [["$0 logout", "logs out of the last API that you logged in to"]],
  load: remotely(async () => (await import("./logout.js")).logout),
});
