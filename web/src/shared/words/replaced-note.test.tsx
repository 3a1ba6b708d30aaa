import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { changeLanguage, languages } from "#/i18n";
import en from "#/i18n/locales/en/operator.json";
import es from "#/i18n/locales/es/operator.json";
import { replacedNotes, saysReplaced, useNotesText } from "./replaced-note";

function Notes() {
  const text = useNotesText();
  return <p>{["New gauge\nMeter replaced", "Medidor cambiado", "Meter"].map(text).join("|")}</p>;
}

it("translates the note of a replaced meter in an operator's notes", async () => {
  await changeLanguage("en");
  const { container } = render(<Notes />);
  expect(container.textContent).toBe("New gauge\nMeter replaced|Meter replaced|Meter");
  await act(() => changeLanguage("es"));
  expect(screen.getByText(/Medidor cambiado\|Medidor cambiado\|Meter/)).toBeTruthy();
});

it("recognizes the note of the operators' form in both languages, as a line of its own", () => {
  const files = { en, es };
  for (const language of languages) {
    const note = files[language].check.replacedNote;
    expect(replacedNotes[language]).toBe(note);
    expect(saysReplaced(`Leaks oil\n${note}`)).toBe(true);
    expect(saysReplaced(`${note}? No`)).toBe(false);
  }
});
