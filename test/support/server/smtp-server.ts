import { type AddressInfo, createServer } from "node:net";

/** A local mail server that keeps its messages. */
export interface SmtpServer {
  readonly port: number;
  /** Messages as received, with their recipients. */
  readonly received: readonly { readonly to: readonly string[]; readonly text: string }[];
  close(): Promise<void>;
}

export async function startSmtpServer(): Promise<SmtpServer> {
  const received: { to: string[]; text: string }[] = [];
  const server = createServer((socket) => {
    let to: string[] = [];
    let rest = "";
    let isText = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    say("220 mail.test ESMTP");
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      rest += chunk.toString();
      for (;;) {
        const end = rest.indexOf(isText ? "\r\n.\r\n" : "\r\n");
        if (end === -1) return;
        const part = rest.slice(0, end);
        rest = rest.slice(end + (isText ? 5 : 2));
        if (isText) {
          received.push({ to, text: part });
          to = [];
          isText = false;
          say("250 kept");
        } else if (/^(ehlo|helo|mail|rset|noop)/i.test(part)) say("250 mail.test");
        else if (/^rcpt/i.test(part)) {
          to.push(/<([^>]*)>/.exec(part)?.[1] ?? "");
          say("250 fine");
        } else if (/^data/i.test(part)) {
          isText = true;
          say("354 go on");
        } else {
          say("221 bye");
          socket.end();
          return;
        }
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close: () => new Promise((done) => server.close(() => done())),
  };
}
