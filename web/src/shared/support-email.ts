const configured: unknown = import.meta.env.VITE_SUPPORT_EMAIL;

/** The support address of this installation; set at build time, null if there is none. */
export const supportEmail: string | null =
  typeof configured === "string" && configured.includes("@") ? configured.trim() : null;
