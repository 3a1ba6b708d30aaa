export const auditCategories = ["access", "people", "equipment", "company", "refused"] as const;
export type AuditCategory = (typeof auditCategories)[number];
