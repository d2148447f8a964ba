import { spawn } from "node:child_process";
import { platform as thisPlatform } from "node:process";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens an address in the user's browser. No shell is involved, and only web addresses are opened.
 * @returns whether a browser was opened, as far as the opener reports; false without a screen
 */
export async function openBrowser(
  address: string,
  env: Environment,
  platform: NodeJS.Platform = thisPlatform,
): Promise<boolean> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return false;
  const opener = openerOf(platform, env);
  if (!opener) return false;
  const [program, ...words] = opener;
  return new Promise((resolve) => {
    // In its own process group, so that Ctrl-C at the terminal ends only the command.
    const child = spawn(program, [...words, url.href], { detached: true, stdio: "ignore", env: { ...env } });
    child.on("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    child.unref();
  });
}

/** The program that opens addresses, and its arguments before the address. */
function openerOf(platform: NodeJS.Platform, env: Environment): readonly [string, ...string[]] | undefined {
  if (platform === "darwin") return ["open"];
  // `start` is a shell command that runs this one.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  // Without a screen, xdg-open starts a text browser, which takes over the terminal.
  const hasScreen = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER"].some((name) => env[name]);
  return hasScreen ? ["xdg-open"] : undefined;
}
