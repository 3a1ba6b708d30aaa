/** A plan's limit; -1 means unlimited. Usage may exceed it after a downgrade. */
export function isLimitReached(summary: { total: number; equipmentLimit: number }): boolean {
  return summary.equipmentLimit >= 0 && summary.total >= summary.equipmentLimit;
}

export function isLimitExceeded(summary: { total: number; equipmentLimit: number }): boolean {
  return summary.equipmentLimit >= 0 && summary.total > summary.equipmentLimit;
}
