export const equipmentTypes = ["vehicle", "machinery", "tools", "other"] as const;
export type TypeWord = (typeof equipmentTypes)[number];
