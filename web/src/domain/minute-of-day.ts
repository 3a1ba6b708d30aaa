const twoDigits = (value: number) => String(value).padStart(2, "0");

/** The value of a time input, "07:05" for 425. */
export const timeOfMinute = (minute: number): string =>
  `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`;

/** The reverse of `timeOfMinute`. */
export function minuteOfTime(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
