/** The name with the unit number in front, for labels. */
export function numberedName(
  name: string,
  equipment: { unitNumber?: string | undefined } | undefined,
): string {
  return equipment?.unitNumber ? `${equipment.unitNumber} ${name}` : name;
}
