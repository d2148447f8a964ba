import type { Socket } from "node:net";

const metadata = 3;
const apiVersions = 18;
/** The number of the only version of metadata that it has. */
const metadataVersion = 12;

const int16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const noTags = Buffer.from([0]);
const nothing = Buffer.from([0]);
const list = (...items: readonly (readonly Buffer[])[]): Buffer =>
  Buffer.concat([Buffer.from([items.length + 1]), ...items.flat()]);
const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length + 1]), Buffer.from(value)]);

/**
 * Plays a broker of Kafka for a visitor. It has every topic, with a partition whose leader listens at another port of this
 * machine.
 */
export function playBroker(socket: Socket, leaderPort: number): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE()) {
      const request = rest.subarray(4, 4 + rest.readInt32BE());
      rest = rest.subarray(4 + request.length);
      const answer = answerTo(request, leaderPort);
      if (!answer) socket.destroy();
      else socket.write(Buffer.concat([int32(answer.length + 4), request.subarray(4, 8), answer]));
    }
  });
}

function answerTo(request: Buffer, leaderPort: number): Buffer | undefined {
  const key = request.readInt16BE();
  if (key === apiVersions) {
    const keys = Array.from({ length: 70 }, (_, number) => {
      const [least, most] = number === metadata ? [metadataVersion, metadataVersion] : [0, 20];
      return [int16(number), int16(least), int16(most), noTags];
    });
    return Buffer.concat([int16(0), list(...keys), int32(0), noTags]);
  }
  if (key !== metadata) return undefined;
  const broker = [int32(1), text("127.0.0.1"), int32(leaderPort), nothing, noTags];
  const replicas = list([int32(1)]);
  const partition = [int16(0), int32(0), int32(1), int32(0), replicas, replicas, list(), noTags];
  const topic = [
    int16(0),
    text("t"),
    Buffer.alloc(16, 1),
    Buffer.from([0]),
    list(partition),
    int32(0),
    noTags,
  ];
  return Buffer.concat([noTags, int32(0), list(broker), nothing, int32(1), list(topic), noTags]);
}
