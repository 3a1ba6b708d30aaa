const consonants = "bcdfgkmnprstvz";
const vowels = "aeiou";
const digits = "23456789";
const pattern = [consonants, vowels, consonants, vowels, consonants, vowels, "-"].concat(
  Array<string>(4).fill(digits),
);

/** A random password that is easy to read aloud and to type on a phone, such as tamori-4827. */
export function proposedPassword(): string {
  return pattern.map(pick).join("");
}

/** The modulo of 32 random bits is uniform enough for alphabets of this size. */
function pick(alphabet: string): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return alphabet.charAt(random % alphabet.length);
}
