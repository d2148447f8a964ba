/** A point of a timeseries. */
export interface Point {
  readonly id: bigint;
  readonly pool: string;
  readonly side: string | null;
  readonly amount: number;
  readonly fee: bigint | null;
}

/** A block with its time in Unix seconds and its points. */
export interface PointBlock {
  readonly number: number;
  readonly time: number;
  readonly points: readonly Point[];
}

/** A row as the database returns it, with every value as a string. */
export type PlainRow = Readonly<Record<string, string | null>>;

export const schema = `
  type Swap @entity(timeseries: true) {
    id: Int8! timestamp: Timestamp! pool: String! side: String amount: Int! fee: BigInt
  }
  type PoolStats @aggregation(intervals: ["hour", "day"], source: "Swap") {
    id: Int8! timestamp: Timestamp! pool: String!
    swaps: Int! @aggregate(fn: "count")
    total: BigInt! @aggregate(fn: "sum", arg: "amount")
    least: Int! @aggregate(fn: "min", arg: "amount")
    most: Int! @aggregate(fn: "max", arg: "amount")
    open: Int! @aggregate(fn: "first", arg: "amount")
    close: BigInt @aggregate(fn: "last", arg: "fee")
    fees: BigInt @aggregate(fn: "sum", arg: "fee")
    value: BigInt! @aggregate(fn: "sum", arg: "case when amount > 3 then amount * coalesce(fee, 1) else 0 end")
    everSwaps: Int8! @aggregate(fn: "count", cumulative: true)
    everTotal: BigInt! @aggregate(fn: "sum", arg: "amount", cumulative: true)
    everLeast: Int! @aggregate(fn: "min", arg: "amount", cumulative: true)
    everMost: Int! @aggregate(fn: "max", arg: "amount", cumulative: true)
    everOpen: Int! @aggregate(fn: "first", arg: "amount", cumulative: true)
    everClose: Int! @aggregate(fn: "last", arg: "amount", cumulative: true)
  }
  type Total @aggregation(intervals: ["day"], source: "Swap") {
    id: Int8! timestamp: Timestamp! swaps: Int! @aggregate(fn: "count")
  }
  type SideTotal @aggregation(intervals: ["hour"], source: "Swap") {
    id: Int8! timestamp: Timestamp! pool: String! side: String
    ever: BigInt! @aggregate(fn: "sum", arg: "amount", cumulative: true)
  }
  type Label @entity { id: ID! swaps: Int! }
`;

const lengths = { hour: 3_600, day: 86_400 };

/** The rows of the schema's aggregations by table, computed from all points of the given blocks. */
export function rolledUp(blocks: readonly PointBlock[]): ReadonlyMap<string, readonly PlainRow[]> {
  return new Map([
    ["pool_stats_hour", rowsOf(blocks, lengths.hour, ({ pool }) => ({ pool }), poolStats)],
    ["pool_stats_day", rowsOf(blocks, lengths.day, ({ pool }) => ({ pool }), poolStats)],
    [
      "total_day",
      rowsOf(
        blocks,
        lengths.day,
        () => ({}),
        (points) => ({ swaps: text(points.length) }),
      ),
    ],
    ["side_total_hour", rowsOf(blocks, lengths.hour, ({ pool, side }) => ({ pool, side }), sideTotal)],
  ]);
}

type Values = (points: readonly Point[], before: readonly Point[]) => PlainRow;

/** The first block after a bucket writes its row. `before` holds the group's points of earlier buckets. */
function rowsOf(
  blocks: readonly PointBlock[],
  length: number,
  dimensionsOf: (point: Point) => PlainRow,
  values: Values,
): readonly PlainRow[] {
  const startOf = ({ time }: PointBlock): number => time - (time % length);
  const groups = new Map<string, { readonly start: number; readonly point: Point }[]>();
  for (const block of blocks) {
    for (const point of block.points) {
      const key = JSON.stringify([startOf(block), dimensionsOf(point)]);
      groups.set(key, [...(groups.get(key) ?? []), { start: startOf(block), point }]);
    }
  }
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    const closing = first && blocks.find((block) => startOf(block) > first.start);
    if (!closing) return [];
    const dimensions = dimensionsOf(first.point);
    const before = blocks
      .filter((block) => startOf(block) < first.start)
      .flatMap(({ points }) => points)
      .filter((point) => JSON.stringify(dimensionsOf(point)) === JSON.stringify(dimensions));
    const points = group.map(({ point }) => point);
    return [
      {
        id: text(points.at(-1)?.id),
        timestamp: new Date(first.start * 1000).toISOString().replace(".000Z", "+00:00"),
        block$: text(closing.number),
        ...dimensions,
        ...values(points, before),
      },
    ];
  });
  return rows.sort((a, b) => Number(a.block$) - Number(b.block$) || Number(a.id) - Number(b.id));
}

function poolStats(points: readonly Point[], before: readonly Point[]): PlainRow {
  const amounts = points.map(({ amount }) => amount);
  const ever = [...before, ...points].map(({ amount }) => amount);
  const fees = points.flatMap(({ fee }) => (fee === null ? [] : [fee]));
  return {
    swaps: text(points.length),
    total: text(sum(amounts)),
    least: text(Math.min(...amounts)),
    most: text(Math.max(...amounts)),
    open: text(amounts[0]),
    close: text(points.at(-1)?.fee),
    fees: fees.length === 0 ? null : text(fees.reduce((one, other) => one + other)),
    value: text(
      points.reduce((all, { amount, fee }) => all + (amount > 3 ? BigInt(amount) * (fee ?? 1n) : 0n), 0n),
    ),
    ever_swaps: text(ever.length),
    ever_total: text(sum(ever)),
    ever_least: text(Math.min(...ever)),
    ever_most: text(Math.max(...ever)),
    ever_open: text(ever[0]),
    ever_close: text(ever.at(-1)),
  };
}

/** Groups that lack a dimension have no running total, because no earlier row counts as the same group. */
function sideTotal(points: readonly Point[], before: readonly Point[]): PlainRow {
  const all = points[0]?.side === null ? points : [...before, ...points];
  return { ever: text(sum(all.map(({ amount }) => amount))) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

function text(value: number | bigint | null | undefined): string | null {
  return value == null ? null : String(value);
}
