import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";

/** `login` */
export const loginCommand = command({
  name: "login",
  describe: "Sign in, and keep a token for the management API that only you can read",
  options: {
    browser: {
      type: "boolean",
      default: true,
      describe: "sign in with a browser that is opened; --no-browser prints the address and takes a code",
    },
  },
  examples: [
    ["$0 login --api-url https://graphloom.example.com/api/v1", "opens the browser"],
    ["$0 login --no-browser", "with a browser on another machine"],
    ["$0 login < key.txt", "takes a key from a file"],
  ],
  epilogue:
    "Logins to several servers are kept side by side: the last one is used, or the one of --api-url. " +
    "A server that signs nobody in is asked for with a key of the project, which is pasted.",
  load: remotely(async () => (await import("./login.js")).login),
});

/** `logout` */
export const logoutCommand = command({
  name: "logout",
  describe: "Forget the stored token, and end it",
  examples: [["$0 logout", "of the API last logged in to"]],
  load: remotely(async () => (await import("./logout.js")).logout),
});
