const configured: unknown = import.meta.env.VITE_SUPPORT_EMAIL;

/** Who answers the people of this installation; set at build time, null where nobody was named. */
export const supportEmail: string | null =
  typeof configured === "string" && configured.includes("@") ? configured.trim() : null;
