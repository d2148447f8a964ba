/** How many requests something accepts in a minute. */
export interface Budget {
  /** From all clients together; unlimited when absent. */
  readonly total?: number;
  /** From one address; unlimited when absent. */
  readonly perAddress?: number;
}

/** Reads a budget from the name of its tier: `edge-tier-6krpm-total-500rpm-per-ip`. */
export function readBudget(tier: string | null): Budget {
  const [, total, perAddress] = /^edge-tier-(\w+)-total-(\w+)-per-ip$/.exec(tier ?? "") ?? [];
  const [all, one] = [perMinute(total), perMinute(perAddress)];
  return { ...(all !== undefined && { total: all }), ...(one !== undefined && { perAddress: one }) };
}

function perMinute(text: string | undefined): number | undefined {
  const [, digits, thousands] = /^(\d+)(k?)rpm$/.exec(text ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits) * (thousands === "k" ? 1000 : 1);
}
