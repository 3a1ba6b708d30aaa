/** Grid lines from 0 to a round number at or above `max`. */
export function ticks(max: number): number[] {
  if (max <= 0) return [0, 1];
  const step = roundStep(max / 4);
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= least - 1e-9) ?? 10;
  return factor * power;
}
