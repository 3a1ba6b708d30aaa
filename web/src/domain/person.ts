import type { Role } from "./permissions";

interface Named {
  role: Role;
  firstName: string | null;
  lastName: string | null;
  operatorUsername: string | null;
  businessName: string | null;
  email: string | null;
}

/** The displayed name: the name if known, else the sign-in name. */
export function personName(person: Named): string {
  // The shared operator session uses the company's name.
  if (person.role === "operator" && !person.operatorUsername) return person.businessName ?? "";
  const name = `${person.firstName ?? ""} ${person.lastName ?? ""}`.trim();
  return name || person.operatorUsername || person.businessName || person.email || "";
}

/** The first letters of the first and the last word: "Dana Ruiz" -> "DR", "maria4821" -> "M". */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters.map((word) => Array.from(word ?? "")[0]?.toLocaleUpperCase() ?? "").join("");
}
