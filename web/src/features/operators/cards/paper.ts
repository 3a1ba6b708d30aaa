/** Countries that print on Letter, and languages without a country, which are those of this product. */
const letter = new Set("BZ CA CL CO CR GT MX NI PA PH PR SV US VE".split(" "));

export function papersFor(language: string): readonly ["letter", "a4"] | readonly ["a4", "letter"] {
  const { language: tongue, region } = new Intl.Locale(language);
  const isLetter = region ? letter.has(region) : tongue === "en" || tongue === "es";
  return isLetter ? ["letter", "a4"] : ["a4", "letter"];
}
