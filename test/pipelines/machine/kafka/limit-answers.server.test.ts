import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Kafka } from "../../../../src/pipelines/sinks/kafka-client.js";
import { kafkaMissing, openTestKafka } from "../../../support/servers/kafka-client.js";

/** A client of something that is not Kafka. @param answer is called when it has sent something */
async function clientOf(answer: (socket: Socket) => void): Promise<{ kafka: Kafka; place: string }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kafka = await openTestKafka({ brokers: [place], isTls: false });
  onTestFinished(async () => {
    await kafka.close();
    server.close();
  });
  return { kafka, place };
}

describe.skipIf(kafkaMissing !== undefined)(
  `a broker of Kafka${kafkaMissing ? `: ${kafkaMissing}` : ""}`,
  () => {
    it.each([
      [
        "is a web server",
        (socket: Socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n<html>"),
        0x48545450,
      ],
      [
        "announces an answer of 2 GB, byte by byte",
        (socket: Socket) => {
          for (const byte of [0x7f, 0xff, 0xff, 0xff, 0]) socket.write(Buffer.from([byte]));
        },
        0x7fffffff,
      ],
    ])("is left at once if it %s", async (_, answer, length) => {
      const { kafka, place } = await clientOf(answer);
      const error = {
        isTemporary: true,
        message: `Kafka does not answer: ${place} announces an answer of ${length} bytes, so it may not be a broker. Check the port and securityProtocol.`,
      };
      await expect(kafka.topic("t")).rejects.toMatchObject(error);
      await expect(kafka.ranges("t")).rejects.toMatchObject(error);
    });
  },
);
