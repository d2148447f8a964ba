import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";

/** `login` */
export const loginCommand = command({
  name: "login",
  describe: "Store a token for the management API, readable only by you",
  options: {
    browser: {
      type: "boolean",
      describe: "sign in with a browser: not built yet, so the token is pasted or piped in",
    },
  },
  examples: [
    ["$0 login --api-url https://api.example.com/api/v1", "asks for the token"],
    ["$0 login --no-browser < token.txt", "takes it from a file"],
  ],
  load: remotely(async () => (await import("./login.js")).login),
});

/** `logout` */
export const logoutCommand = command({
  name: "logout",
  describe: "Forget the stored token",
  examples: [["$0 logout", "of the API last logged in to"]],
  load: remotely(async () => (await import("./login.js")).logout),
});
