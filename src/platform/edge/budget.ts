/** How often something may be asked in a minute. */
export interface Budget {
  /** By everybody together; as often as they like when it is left out. */
  readonly total?: number;
  /** By one address; as often as it likes when it is left out. */
  readonly perAddress?: number;
}

/** Reads the name of a tier: `edge-tier-6krpm-total-500rpm-per-ip`. */
export function readBudget(tier: string | null): Budget {
  const [, total, perAddress] = /^edge-tier-(\w+)-total-(\w+)-per-ip$/.exec(tier ?? "") ?? [];
  const [all, one] = [perMinute(total), perMinute(perAddress)];
  return { ...(all !== undefined && { total: all }), ...(one !== undefined && { perAddress: one }) };
}

function perMinute(text: string | undefined): number | undefined {
  const [, digits, thousands] = /^(\d+)(k?)rpm$/.exec(text ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits) * (thousands === "k" ? 1000 : 1);
}
