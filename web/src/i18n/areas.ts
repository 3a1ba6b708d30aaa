/**
 * Text files by audience. An area is one download per language; `shared` is loaded with the first
 * page, the others with the pages that need them.
 */
export const areas = {
  shared: ["common", "errors", "shell"],
  visitor: ["auth", "contact", "plans", "questions"],
  landing: ["landing"],
  person: ["labels", "updates"],
  operator: ["device", "operator"],
  phone: ["phone"],
  profile: ["profile"],
  notifications: ["notifications"],
  home: ["dashboard", "equipment", "live"],
  office: [
    "admin-tools",
    "equipment-bulk",
    "equipment-detail",
    "equipment-dialogs",
    "equipment-form",
    "equipment-history",
    "equipment-import",
    "equipment-list",
    "equipment-meters",
    "fuel",
    "operators",
    "retired",
    "review",
    "service",
    "settings",
    "subscription",
    "task-sets",
  ],
  commands: ["commands", "first-steps"],
  security: ["digest", "notices", "second-factor", "verify-email"],
  support: ["admin-accounts"],
  history: ["audit-log"],
  guide: ["instructions"],
  sandbox: ["sandbox"],
  refusals: ["refusals"],
} as const satisfies Record<string, readonly string[]>;

export type Area = keyof typeof areas;

export const allAreas: readonly Area[] = [
  "shared",
  "visitor",
  "landing",
  "person",
  "operator",
  "phone",
  "profile",
  "notifications",
  "home",
  "office",
  "commands",
  "security",
  "support",
  "history",
  "guide",
  "sandbox",
  "refusals",
];
