import type { Mail } from "./mail.js";

/** The mail server, and how to use it. */
export interface SmtpAddress {
  /** True for `smtps:`. `smtp:` is encrypted only if the server supports it. */
  readonly isEncrypted: boolean;
  readonly host: string;
  readonly port: number;
  readonly login?: { readonly user: string; readonly pass: string };
  /** The sender of all mail. */
  readonly from: string;
}

/** Milliseconds for which the mail server may stay silent. */
const patience = 15_000;

/**
 * Reads `smtp://user:password@host:port?from=graphloom@example.com`.
 * @returns `undefined` if the string is not a valid SMTP address
 */
export function readSmtpAddress(text: string): SmtpAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return undefined;
  const isEncrypted = url.protocol === "smtps:";
  const from = url.searchParams.get("from") ?? "";
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from)) return undefined;
  const login = { user: decoded(url.username), pass: decoded(url.password) };
  return {
    isEncrypted,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (isEncrypted ? 465 : 587)),
    ...(login.user !== "" && { login }),
    from,
  };
}

/** Sends mail over SMTP. It sends a password only over an encrypted connection, or to this machine. */
export function createSmtp({ isEncrypted, host, port, login, from }: SmtpAddress): Mail {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  const opened = import("nodemailer").then(({ createTransport }) =>
    createTransport({
      host,
      port,
      secure: isEncrypted,
      ...(login && { auth: login }),
      requireTLS: !isEncrypted && login !== undefined && !isHere,
      connectionTimeout: patience,
      greetingTimeout: patience,
      socketTimeout: patience,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  // The first `send` reports the failure.
  opened.catch(() => undefined);
  return {
    async send({ to, subject, text }) {
      const transport = await opened;
      await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
    },
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
