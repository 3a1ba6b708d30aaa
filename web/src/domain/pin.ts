/** Frequent PINs that none of the patterns covers. */
const common = new Set(["2580", "0852", "1379", "7410", "159753", "147258", "123654", "112233"]);

const steps = (pin: string) =>
  Array.from(pin.slice(1), (digit, at) => Number(digit) - Number(pin[at]));

/** What is wrong with a PIN: its form, or that others would guess it first. */
export function pinProblem(pin: string): "form" | "easy" | null {
  if (!/^\d{4,8}$/.test(pin)) return "form";
  const [first] = steps(pin);
  // All digits are the same, or each is one more or one less than the one before.
  const isRun = steps(pin).every((step) => step === first && Math.abs(step) <= 1);
  const isRepeated = /^(..+)\1+$/.test(pin);
  const isYear = /^(19|20)\d\d$/.test(pin);
  return isRun || isRepeated || isYear || common.has(pin) ? "easy" : null;
}
