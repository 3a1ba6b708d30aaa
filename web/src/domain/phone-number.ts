const groupings = [
  /^\+(1)(\d{3})(\d{3})(\d{4})$/,
  // The largest cities of Mexico have area codes of two digits.
  /^\+(52)(33|55|56|81)(\d{4})(\d{4})$/,
  /^\+(52)(\d{3})(\d{3})(\d{4})$/,
];

/** "+18305550199" as "+1 830 555 0199"; numbers of other countries as they are. */
export function phoneNumberText(number: string): string {
  for (const grouping of groupings) {
    const match = grouping.exec(number);
    if (match) return `+${match.slice(1).join(" ")}`;
  }
  return number;
}
