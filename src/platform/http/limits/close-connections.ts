import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Closes connections while a server shuts down, because it would wait for open ones. Connections in use close
 * after their answer, and connections that have sent nothing close at once. Browsers open some in advance,
 * and Node does not count them as idle until the time for a request is over.
 */
export function closeConnections(app: FastifyInstance): void {
  let isEnding = false;
  const open = new Set<FastifyRequest["socket"]>();
  app.server.on("connection", (socket: FastifyRequest["socket"]) => {
    if (isEnding) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.addHook("preClose", async () => {
    isEnding = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
  app.addHook("onSend", async (_, reply) => {
    if (isEnding) reply.header("connection", "close");
  });
}
