/** A plan's limit; -1 means unlimited. Above it (after a downgrade) nothing new can be added either. */
export function isLimitReached(summary: { total: number; equipmentLimit: number }): boolean {
  return summary.equipmentLimit >= 0 && summary.total >= summary.equipmentLimit;
}

export function isLimitExceeded(summary: { total: number; equipmentLimit: number }): boolean {
  return summary.equipmentLimit >= 0 && summary.total > summary.equipmentLimit;
}
