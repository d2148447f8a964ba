/** A partition of a topic, and which topic of that name it is. */
export interface TopicPart {
  readonly partition: number;
  /** The beginning of the topic's id. A topic that is created again has another one. */
  readonly topic: string;
}

const form = /^(\d{1,9})\.([\da-f]{8})$/;

/** The name of a part of a source, such as `orders/0.3f2a91bc`. Positions and ledgers have it in place of the source's. */
export function partName(source: string, { partition, topic }: TopicPart): string {
  return `${source}/${partition}.${topic}`;
}

/** Reads the name of a part of a source; `undefined` for another name. */
export function readPart(source: string, name: string): TopicPart | undefined {
  if (!name.startsWith(`${source}/`)) return undefined;
  const [, partition, topic] = form.exec(name.slice(source.length + 1)) ?? [];
  return partition === undefined || topic === undefined ? undefined : { partition: Number(partition), topic };
}

/** Whether a position under this name belongs to a part. */
export function isPart(name: string): boolean {
  return readPart(name.slice(0, name.lastIndexOf("/")), name) !== undefined;
}

/** The names under which positions of a source are kept, of all names: its own, or those of its parts. */
export function placesOf(source: string, names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => name === source || readPart(source, name) !== undefined);
}
