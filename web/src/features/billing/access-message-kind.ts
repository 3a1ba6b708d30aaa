export type AccessMessageKind = "off" | "failed" | "trial";
